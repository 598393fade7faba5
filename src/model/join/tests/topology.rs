//! Clones that edit apart, in any topology and with any clock, on the model alone.
//!
//! 2 to 8 replicas hold issues as real blobs in a graph of commits, edit them at random with clocks that
//! are off by up to a day, stand still or go back, and exchange pairwise or through a hub that is set
//! back or emptied now and then. Merges see the real merge bases (all maximal common ancestors), or none
//! as in a clone whose history is short. The oracle knows every write that was acknowledged and, from
//! the graph, which later writes had seen it; after every exchange each of them must be current,
//! knowingly overwritten, or kept in `lost`, and none that was overwritten may be current again. In
//! the end all exchange twice and must have the same blobs, and no further exchange makes a commit.
//!
//! 40 topologies of 60 operations. `GIT_BEADS_CASES=20000` asks for the long run: 20,000 cases of every
//! law in `laws.rs`, and a fiftieth of that, 400 topologies, of 120 operations here.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use serde_json::{Value, json};

mod exchange;
mod oracle;

use self::oracle::{Mark, Tally, Write};
use crate::model::join::*;

use crate::model::blob::Writer;
use crate::model::stamp::{Stamp, Uid};

const FIELDS: [&str; 7] = [
    "title",
    "description",
    "notes",
    "status",
    "assignee",
    "parent",
    "x-future",
];
const LONG: [&str; 2] = ["description", "notes"];
const DAY: u64 = 86_400_000;
const START: u64 = 1_795_173_600_000;

/// How many cases `GIT_BEADS_CASES` asks for.
pub(crate) fn cases() -> Option<u32> {
    number("GIT_BEADS_CASES")
}

#[expect(clippy::disallowed_methods, reason = "tests read their own variables")]
fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}

type State = BTreeMap<Uid, Blob>;

struct Commit {
    parents: Vec<usize>,
    /// The longest chain of merges that ends here.
    merges: usize,
    /// The commits it leads to, itself included, a bit each.
    above: Vec<u64>,
    state: Rc<State>,
}

#[derive(Clone, Copy)]
struct Replica {
    tip: Option<usize>,
    /// What its clock is off by, in milliseconds.
    skew: i64,
    /// The time at which its clock stands still.
    stuck: Option<u64>,
}

struct World {
    random: u64,
    now: u64,
    commits: Vec<Commit>,
    merges: HashMap<(usize, usize), usize>,
    replicas: Vec<Replica>,
    /// The first replicas: nobody writes in them, and they take only what descends from what they have.
    hubs: usize,
    /// Whether some merges see no base.
    short: bool,
    writes: Vec<Write>,
    marks: Vec<Mark>,
    blobs: HashMap<String, Blob>,
}

fn bit(set: &[u64], i: usize) -> bool {
    set.get(i / 64)
        .is_some_and(|word| word >> (i % 64) & 1 == 1)
}

fn mix(into: &mut Vec<u64>, other: &[u64]) {
    into.resize(into.len().max(other.len()), 0);
    for (word, more) in into.iter_mut().zip(other) {
        *word |= more;
    }
}

fn oid(blob: &Blob) -> String {
    let mut hasher = DefaultHasher::new();
    blob.to_bytes().hash(&mut hasher);
    format!("{:040x}", hasher.finish())
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d,
            now: START,
            commits: Vec::new(),
            merges: HashMap::new(),
            replicas: Vec::new(),
            hubs: if seed.is_multiple_of(2) {
                1 + (seed / 2 % 4) as usize
            } else {
                0
            },
            short: seed % 4 == 3,
            writes: Vec::new(),
            marks: Vec::new(),
            blobs: HashMap::new(),
        };
        for _ in 0..2 + world.below(7) as usize + world.hubs.saturating_sub(1) {
            let skew = (world.below(2 * DAY) as i64 - DAY as i64) * i64::from(world.below(4) > 0);
            world.replicas.push(Replica {
                tip: None,
                skew,
                stuck: None,
            });
        }
        // Half of the topologies begin together, the others with roots of their own that share an import.
        let mut shared = State::new();
        let writer = Writer {
            at: Stamp::new(START - DAY, 5),
            by: "import".into(),
            millis: START - DAY,
        };
        let mut blob = Blob::new(Some(writer.at), &writer);
        blob.put(&writer, "title", json!("imported"));
        shared.insert(writer.at, blob);
        let together = (seed / 8)
            .is_multiple_of(2)
            .then(|| world.commit(Vec::new(), shared.clone()));
        for i in world.hubs..world.replicas.len() {
            let root = together.unwrap_or_else(|| world.commit(Vec::new(), shared.clone()));
            world.replicas[i].tip = Some(root);
        }
        world
    }

    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    fn commit(&mut self, parents: Vec<usize>, state: State) -> usize {
        let id = self.commits.len();
        let mut above = vec![0; id / 64 + 1];
        above[id / 64] |= 1 << (id % 64);
        for parent in &parents {
            mix(&mut above, &self.commits[*parent].above);
        }
        let longest = parents.iter().map(|parent| self.commits[*parent].merges);
        let merges = longest.max().filter(|_| parents.len() > 1);
        self.commits.push(Commit {
            merges: merges.map_or(0, |merges| merges + 1),
            parents,
            above,
            state: Rc::new(state),
        });
        id
    }

    fn has(&self, tip: usize, commit: usize) -> bool {
        bit(&self.commits[tip].above, commit)
    }

    /// Returns a replica that people write in.
    fn writer(&mut self) -> usize {
        self.hubs + self.index(self.replicas.len() - self.hubs)
    }

    fn clock(&mut self, replica: usize) -> u64 {
        match self.below(20) {
            0 => self.replicas[replica].stuck = Some(self.now),
            1 => self.replicas[replica].stuck = None,
            2 => self.replicas[replica].skew -= self.below(DAY / 24) as i64,
            _ => {}
        }
        let Replica { skew, stuck, .. } = self.replicas[replica];
        let skew = skew.clamp(-(DAY as i64), DAY as i64);
        stuck.unwrap_or(self.now).saturating_add_signed(skew)
    }

    fn edit(&mut self, replica: usize) {
        let tip = self.replicas[replica].tip.expect("writers have begun");
        let mut state = State::clone(&self.commits[tip].state);
        let millis = self.clock(replica);
        let random = u128::from(self.next()) << 16;
        let by = format!("agent-{replica}");
        let living: Vec<Uid> = state
            .iter()
            .filter(|(_, blob)| blob.purged.is_none())
            .map(|(uid, _)| *uid)
            .collect();
        let fresh = living.is_empty() || (state.len() < 6 && self.below(8) == 0);
        let uid = if fresh {
            Stamp::new(millis, random)
        } else {
            living[self.index(living.len())]
        };
        let seen = state.get(&uid).map_or_else(Stamp::default, Blob::newest);
        let at = if fresh {
            uid
        } else {
            Stamp::after(seen, millis, random)
        };
        let writer = Writer { at, by, millis };
        let mut blob = state
            .remove(&uid)
            .unwrap_or_else(|| Blob::new(Some(uid), &writer));
        let old = blob.clone();
        if !fresh && self.below(60) == 0 {
            blob.purge(at);
        } else if let Some((field, _, _)) = old.unsettled().next().filter(|_| self.below(3) == 0) {
            let field = *FIELDS
                .iter()
                .find(|known| **known == field)
                .expect("a field of ours");
            self.resolve(tip, &mut blob, field, &writer);
        } else {
            for _ in 0..1 + self.below(2) {
                self.write(tip, &mut blob, &old, &writer);
            }
            let label = ["x", "y", "z"][self.index(3)];
            let live = self.below(2) == 0;
            if blob.mark(&writer, "labels", label, live) {
                let (next, above) = (self.commits.len(), &self.commits[tip].above);
                for mark in self
                    .marks
                    .iter_mut()
                    .filter(|mark| mark.uid == uid && mark.label == label)
                {
                    mark.later.extend(bit(above, mark.commit).then_some(next));
                }
                self.marks.push(Mark {
                    uid,
                    label,
                    live,
                    at,
                    commit: next,
                    later: Vec::new(),
                });
            }
        }
        state.insert(uid, blob);
        let commit = self.commit(vec![tip], state);
        self.replicas[replica].tip = Some(commit);
    }

    /// Writes a register that this operation has not written yet, as the verbs do.
    fn write(&mut self, tip: usize, blob: &mut Blob, old: &Blob, writer: &Writer) {
        let field = FIELDS[self.index(FIELDS.len())];
        if blob
            .registers
            .get(field)
            .is_some_and(|register| register.at == writer.at)
        {
            return;
        }
        let number = self.writes.len();
        let may_be_long = !["title", "assignee"].contains(&field);
        let value = if self.below(8) == 0 && may_be_long {
            json!(format!("{number} {}", "long ".repeat(250)))
        } else {
            json!(number)
        };
        if blob.set(writer, field, value.clone()) {
            self.acknowledge(tip, blob.uid, field, value, old, writer);
        }
    }

    /// Settles a register as the verb does: with a lost value, or as it is.
    fn resolve(&mut self, tip: usize, blob: &mut Blob, field: &'static str, writer: &Writer) {
        let old = blob.clone();
        if self.below(2) == 0 {
            let value = json!(self.writes.len());
            blob.put(writer, field, value.clone());
            self.acknowledge(tip, blob.uid, field, value, &old, writer);
        }
        blob.settle(field, writer.at);
        let next = self.commits.len();
        for write in self
            .writes
            .iter_mut()
            .filter(|write| Some(write.uid) == blob.uid && write.field == field)
        {
            if old.lost.contains_key(&format!("{field}@{}", write.at)) {
                write.resolved.push(next);
            }
        }
    }

    fn acknowledge(
        &mut self,
        tip: usize,
        uid: Option<Uid>,
        field: &'static str,
        value: Value,
        old: &Blob,
        writer: &Writer,
    ) {
        let (commit, uid) = (self.commits.len(), uid.expect("issues have one"));
        let current = old.registers.get(field).map(|register| &register.value);
        for write in self
            .writes
            .iter_mut()
            .filter(|write| write.uid == uid && write.field == field)
        {
            if bit(&self.commits[tip].above, write.commit) {
                write.later.push(commit);
                if current == Some(&write.value) {
                    write.direct.push(commit);
                }
            }
        }
        let (later, direct, resolved) = (Vec::new(), Vec::new(), Vec::new());
        self.writes.push(Write {
            uid,
            field,
            value,
            at: writer.at,
            commit,
            later,
            direct,
            resolved,
        });
    }
}

/// Plays one topology to its end.
fn play(seed: u64, operations: u32) -> Tally {
    let mut world = World::new(seed);
    for _ in 0..operations {
        world.step();
    }
    let tip = world.settle();
    if !world.short {
        world.no_false_conflicts(tip);
    }
    for blob in world.commits[tip].state.values() {
        assert_eq!(Blob::parse(&blob.to_bytes()).ok().as_ref(), Some(blob));
    }
    let tally = world.check(tip);
    assert_eq!(
        tally.writes,
        world.writes.len(),
        "every acknowledged write reached all"
    );
    tally
}

#[test]
fn no_topology_diverges_or_loses_a_write() {
    let (topologies, operations) =
        cases().map_or((40, 60), |cases| (u64::from(cases / 50).max(1), 120));
    let (mut sum, mut failed) = (Tally::default(), Vec::new());
    let first = number("GIT_BEADS_CASES_SEED").unwrap_or(0);
    for seed in first..first + topologies {
        match std::panic::catch_unwind(|| play(seed, operations)) {
            Ok(tally) => {
                sum.writes += tally.writes;
                sum.current += tally.current;
                sum.overwritten += tally.overwritten;
                sum.kept += tally.kept;
                sum.purged += tally.purged;
            }
            Err(_) => failed.push(seed),
        }
    }
    eprintln!("{topologies} topologies: {sum:?}");
    assert!(
        failed.is_empty(),
        "topologies that failed, by seed: {failed:?}"
    );
    assert!(
        sum.kept > 0 && sum.overwritten > 0,
        "the histories met no conflict: {sum:?}"
    );
}
