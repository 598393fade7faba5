//! Random histories of clones, in one process and without git: what was answered is never lost, and all come to rest.
//!
//! 2 to 4 clones with clocks that are off write apart and exchange with two hubs, which are set back or emptied now and
//! then, or by mailboxes. What is sent is made before the ref leads to it, or after. Power cuts take moves of the ref and the objects of what was not sent; forced fetches and people set the ref
//! back. After each step every answered write of a clone is part of its state, or a person has taken it back, and it is
//! named. Entering the same states again moves nothing. In the end all exchange until they have one commit, which has every
//! write.
//!
//! 40 histories of 60 steps; `GIT_BEADS_CASES=20000` asks for a tenth of that.

mod faults;
mod oracle;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use super::{
    Arrival, Candidate, EntryOutcome, EntryRules, StateSource, adopt, bring_back, enter, stage,
};
use crate::env::{Env, Sealed, User};
use crate::model::Issue;
use crate::model::blob::{Blob, Writer};
use crate::model::stamp::{Stamp, Uid};
use crate::store::reach::Reach;
use crate::store::{Cancel, Changes, Intent, Location, Message, Oid, Publish, Store, TreePath};

const STEPS: usize = 60;
const NOW: u64 = 1_795_173_600_000;
const DAY: u64 = 86_400_000;
const REMOTES: [&str; 2] = ["origin", "other"];

struct Site {
    store: Store,
    folder: PathBuf,
    boot: u32,
    skew: u64,
    /// The commits of the writes that were answered here.
    answered: Vec<Oid>,
    /// Those of them that a person has taken back.
    taken: HashSet<Oid>,
    /// The state that was shown last.
    shown: Option<Oid>,
    /// A state that had all writes that were answered before, and how many these were.
    checked: (Option<Oid>, usize),
    /// The state that others have, at most.
    sent: Option<Oid>,
}

/// A remote of all clones.
#[derive(Default)]
struct Hub {
    tip: Option<Oid>,
    was: Vec<Oid>,
}

struct World {
    folder: TempDir,
    random: u64,
    now: u64,
    sites: Vec<Site>,
    hubs: [Hub; 2],
    /// Those at the first hub.
    mailboxes: BTreeMap<String, Oid>,
    uids: Vec<Uid>,
    log: Vec<String>,
}

fn never() -> Cancel {
    Cancel::default()
}

/// Returns a folder in memory where the system has one: nothing here is about what a disk keeps.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = tempfile::tempdir_in(memory);
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            folder: scratch(),
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d,
            now: NOW,
            sites: Vec::new(),
            hubs: [Hub::default(), Hub::default()],
            mailboxes: BTreeMap::new(),
            uids: Vec::new(),
            log: Vec::new(),
        };
        fs::create_dir_all(world.wire()).unwrap();
        for number in 0..2 + world.below(3) {
            let folder = world.folder.path().join(format!("c{number}"));
            gix::init(&folder).unwrap();
            let git = folder.join(".git");
            let remote = |name: &str| {
                format!(
                    "[remote \"{name}\"]\n\turl = ../{name}\n\tfetch = +refs/heads/*:refs/remotes/{name}/*\n"
                )
            };
            let remotes = REMOTES.map(remote).concat();
            let config = fs::read_to_string(git.join("config")).unwrap() + &remotes;
            fs::write(git.join("config"), config).unwrap();
            fs::create_dir_all(git.join("objects/info")).unwrap();
            let wire = format!("{}\n", world.wire().display());
            fs::write(git.join("objects/info/alternates"), wire).unwrap();
            fs::create_dir_all(git.join("beads")).unwrap();
            let skew = world.below(2 * DAY);
            let store = opened(&folder, 0, world.now + skew);
            world.sites.push(Site {
                store,
                folder,
                boot: 0,
                skew,
                answered: Vec::new(),
                taken: HashSet::new(),
                shown: None,
                checked: (None, 0),
                sent: None,
            });
        }
        world.write(0);
        world.exchange(0, 0, true);
        for site in 1..world.sites.len() {
            world.exchange(site, 0, true);
        }
        world
    }

    /// Returns the objects that have been sent to anyone.
    fn wire(&self) -> PathBuf {
        self.folder.path().join("wire")
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn stamp(&mut self, site: usize) -> Stamp {
        self.now += 1000;
        let random = u128::from(self.below(u64::MAX));
        Stamp::new(self.now + self.sites[site].skew, random)
    }

    fn note(&mut self, site: usize, what: &str) {
        self.log.push(format!("c{site}: {what}"));
    }

    fn tip(&self, site: usize) -> Option<Oid> {
        self.sites[site].store.tip().unwrap()
    }

    fn has(&self, site: usize, tip: Oid, write: Oid) -> bool {
        Reach::new(&self.sites[site].store).has_operations_of(tip, write)
    }

    /// What each command does before its own work: a replay where it is due, and what the ref lacks is brought back or named.
    fn open(&mut self, site: usize) {
        let it = &self.sites[site];
        let store = &it.store;
        bring_back(store, &store.set_back().left_out(), &never());
        if !store.replay().is_settled() {
            store.replay().recover().unwrap();
        }
        if let (Some(shown), Some(now)) = (it.shown, store.tip().unwrap())
            && shown != now
        {
            let left = store.set_back().notice_left_out(shown, now);
            bring_back(store, &Vec::from_iter(left), &never());
        }
        self.sites[site].shown = self.tip(site);
    }

    /// Writes a new issue, or another title of one.
    fn write(&mut self, site: usize) {
        let stamp = self.stamp(site);
        let known = self.uids.len() as u64;
        let old = match known > 0 && self.below(2) == 0 {
            true => {
                let which = self.below(known) as usize;
                let base = self.sites[site].store.snapshot().unwrap();
                base.issue(self.uids[which]).unwrap().and_then(Result::ok)
            }
            false => None,
        };
        let writer = Writer {
            at: stamp,
            by: format!("person{site}"),
            millis: stamp.millis(),
        };
        let issue = old.map_or_else(
            || {
                let mut issue = Issue::new(stamp, &writer);
                let id = json!(format!("bd-{stamp}").to_lowercase());
                issue.blob_mut().put(&writer, "id", id);
                issue
            },
            |mut issue| {
                issue.set_title(&writer, &stamp.to_string()).unwrap();
                issue
            },
        );
        let store = &self.sites[site].store;
        let mut transaction = store.begin(&never()).unwrap();
        if let Some(left) = transaction.left_out() {
            drop(transaction);
            bring_back(store, &[left], &never());
            transaction = store.begin(&never()).unwrap();
        }
        let mut changes = Changes::new(store);
        if transaction.base().is_none() {
            let mut meta = Blob::new(None, &writer);
            meta.mark(&writer, "stores", &stamp.to_string(), true);
            changes.put(TreePath::Meta, &meta).unwrap();
        }
        let path = TreePath::Issue(issue.uid());
        changes.put(path, issue.blob()).unwrap();
        let message = Message {
            subject: format!("write {stamp}"),
            trailers: vec![("Issues".to_owned(), issue.uid().to_string())],
        };
        let unpublished = transaction.write(changes, &message).unwrap();
        let Publish::Done(published) = unpublished.publish().unwrap() else {
            panic!("no one else writes");
        };
        let tip = published.finish().unwrap();
        if issue.uid() == stamp {
            self.uids.push(stamp);
        }
        self.sites[site].answered.push(tip);
        self.sites[site].shown = Some(tip);
        self.note(site, &format!("write {tip}"));
    }

    /// Fetches from a hub, and returns what that and mailboxes have.
    fn candidates(&mut self, site: usize, hub: usize) -> Vec<Candidate> {
        let remote = REMOTES[hub];
        let seen = self.sites[site].store.remotes().seen_tip(remote).unwrap();
        let theirs = self.fetch(site, hub);
        let store = &self.sites[site].store;
        let mut candidates = Vec::new();
        if let Some(unmerged) = store.remotes().unmerged_tip(remote).unwrap() {
            candidates.push(Candidate::of(
                unmerged,
                StateSource::Former(remote.to_owned()),
            ));
        }
        if let Some(seen) = seen
            && !theirs.is_some_and(|theirs| self.has(site, theirs, seen))
        {
            candidates.push(Candidate::of(seen, StateSource::Former(remote.to_owned())));
        }
        let tracked = StateSource::Tracked(remote.to_owned());
        candidates.extend(theirs.map(|theirs| Candidate::of(theirs, tracked)));
        for (branch, tip) in self.mailboxes.iter().filter(|_| hub == 0) {
            candidates.push(Candidate::of(*tip, StateSource::Mailbox(branch.clone())));
        }
        candidates
    }

    /// Fetches from a hub and enters what that and mailboxes have; sends what is here, if that is asked for.
    fn exchange(&mut self, site: usize, hub: usize, sends: bool) {
        let candidates = self.candidates(site, hub);
        let store = &self.sites[site].store;
        let before = self.tip(site);
        let cancel = never();
        let enter_all = || -> Vec<Arrival> {
            enter(store, candidates.clone(), &EntryRules::usual(&cancel)).unwrap()
        };
        let arrivals = enter_all();
        let after = self.tip(site);
        assert!(
            arrivals
                .iter()
                .all(|it| !matches!(it.outcome, EntryOutcome::Refused(_))),
            "{arrivals:?}"
        );
        if let (Some(before), Some(after)) = (before, after) {
            assert!(
                self.has(site, after, before),
                "the state from before is lost"
            );
        }
        // A mailbox with the same operations can take the place of what the hub has; then both are merged once more.
        enter_all();
        let after = self.tip(site);
        enter_all();
        assert_eq!(
            self.tip(site),
            after,
            "the same states moved the ref again and again"
        );
        self.sites[site].shown = after;
        let line = format!("exchange with {} {before:?} -> {after:?}", REMOTES[hub]);
        self.note(site, &line);
        if let Some(sent) = after.filter(|_| sends) {
            self.push(site, hub, sent);
        }
    }

    /// Makes the state that is sent, which the ref does not lead to before the hub has it. The hub can have moved on meanwhile,
    /// another command can write here, and the power can fail before the ref follows.
    fn exchange_staged(&mut self, site: usize, hub: usize) {
        let candidates = self.candidates(site, hub);
        let (store, before) = (&self.sites[site].store, self.tip(site));
        let staged = stage(store, candidates, &EntryRules::usual(&never())).unwrap();
        assert_eq!(self.tip(site), before, "what is staged has moved the ref");
        let Some(sent) = staged.tip() else { return };
        let line = format!("staged for {} {before:?} -> {sent}", REMOTES[hub]);
        self.note(site, &line);
        match self.below(8) {
            0 => return self.note(site, "it is dropped"),
            1 => self.write(site),
            _ => {}
        }
        self.push(site, hub, sent);
        if self.below(6) == 0 {
            return self.power_cut(site);
        }
        adopt(&self.sites[site].store, &staged, true, &never()).unwrap();
        let tip = self.tip(site).unwrap();
        assert!(self.has(site, tip, sent), "what was sent is lost");
        self.sites[site].shown = Some(tip);
    }

    /// Makes a hub have a state of a clone.
    fn push(&mut self, site: usize, hub: usize, sent: Oid) {
        self.send(site, sent);
        self.hubs[hub].tip = Some(sent);
        self.hubs[hub].was.push(sent);
        let remotes = self.sites[site].store.remotes();
        remotes.note_former_tip(REMOTES[hub], sent).unwrap();
        remotes.note_merged_tip(REMOTES[hub], sent).unwrap();
        if hub == 0 {
            self.mailboxes.clear();
        }
    }

    /// Makes the tracking ref say what a hub has; returns that.
    fn fetch(&mut self, site: usize, hub: usize) -> Option<Oid> {
        let (remotes, tip) = (self.sites[site].store.remotes(), self.hubs[hub].tip);
        let known = remotes.tracked(REMOTES[hub]).unwrap();
        remotes.publish_tracking(REMOTES[hub], known, tip).unwrap();
        tip
    }

    /// Gives all objects of a clone to the others, with a state that it has made of them.
    fn send(&mut self, site: usize, sent: Oid) {
        let objects = self.sites[site].folder.join(".git/objects");
        for folder in fs::read_dir(objects).unwrap().map(Result::unwrap) {
            let name = folder.file_name();
            if name.len() != 2 && name != "pack" {
                continue;
            }
            let there = self.wire().join(&name);
            fs::create_dir_all(&there).unwrap();
            for file in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
                let _ = fs::hard_link(file.path(), there.join(file.file_name()));
            }
        }
        self.sites[site].sent = Some(sent);
    }

    fn step(&mut self) {
        let site = self.below(self.sites.len() as u64) as usize;
        let hub = usize::from(self.below(4) == 0);
        match self.below(100) {
            0..45 => {
                if self.below(2) == 0 {
                    self.open(site);
                }
                self.write(site);
            }
            45..53 => {
                self.open(site);
                self.exchange_staged(site, hub);
            }
            53..62 => {
                self.open(site);
                self.exchange(site, hub, true);
            }
            62..70 => {
                self.open(site);
                self.exchange(site, hub, false);
            }
            70..74 => {
                self.open(site);
                self.fetch(site, hub);
            }
            74..80 => {
                self.open(site);
                if let Some(tip) = self.tip(site) {
                    self.send(site, tip);
                    self.mailboxes
                        .insert(format!("claude/git-beads-{site}"), tip);
                    self.note(site, "to a mailbox");
                }
            }
            80..86 => self.power_cut(site),
            86..90 => self.forced_fetch(site, hub),
            90..93 => self.set_back(site),
            93..97 if !self.hubs[hub].was.is_empty() => {
                let which = self.below(self.hubs[hub].was.len() as u64) as usize;
                self.hubs[hub].tip = Some(self.hubs[hub].was[which]);
                let line = format!("{}: back to {:?}", REMOTES[hub], self.hubs[hub].tip);
                self.log.push(line);
            }
            97 => {
                self.hubs[hub].tip = None;
                self.log.push(format!("{}: emptied", REMOTES[hub]));
            }
            _ => self.open(site),
        }
        self.open(site);
        self.check(site);
    }
}

/// Opens a clone under a boot of its machine.
fn opened(folder: &Path, boot: u32, now: u64) -> Store {
    let variable = |name: &str, value: String| (OsString::from(name), OsString::from(value));
    let env = Env::sealed(Sealed {
        variables: BTreeMap::from([
            variable("GIT_BEADS_BOOT", format!("boot {boot}")),
            variable("GIT_BEADS_NOW", now.to_string()),
        ]),
        dir: folder.to_owned(),
        // What a full journal starts in the background: nothing.
        program: folder.join("none"),
        identity: User {
            name: "Ann".to_owned(),
            email: "ann@example.com".to_owned(),
        },
        input: Vec::new(),
    });
    let location = Location {
        env,
        dir: folder.to_owned(),
        explicit: true,
    };
    let store = Store::discover(&location).unwrap();
    store.intent.set(Intent::Write);
    store
}

fn number(name: &str) -> Option<u64> {
    Env::of_process().var(name)?.parse().ok()
}

#[test]
fn what_was_answered_is_never_lost_and_all_come_to_rest() {
    let histories = number("GIT_BEADS_CASES").map_or(40, |cases| (cases / 10).max(1));
    let first = number("GIT_BEADS_CASES_SEED").unwrap_or(0);
    for seed in first..first + histories {
        let mut world = World::new(seed);
        let played = catch_unwind(AssertUnwindSafe(|| {
            for _ in 0..STEPS {
                world.step();
            }
            world.rest();
        }));
        assert!(
            played.is_ok(),
            "history {seed} failed; repeat it with GIT_BEADS_CASES=10 GIT_BEADS_CASES_SEED={seed}:\n{}",
            world.log.join("\n")
        );
    }
}
