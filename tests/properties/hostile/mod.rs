//! Remotes that mean harm. Every case says what becomes of it: the whole fetch is refused and the error
//! says why, or what nobody can read is carried byte for byte and named, or it is harmless. Never a panic,
//! never raw control characters, never more memory than a small machine has; and our ref, and all other
//! work, as if nothing had been there.

mod blobs;
mod carried;
mod commands;
mod forge;
mod history;
mod messages;
mod trees;

use self::forge::Build;
use crate::properties::faults::is_in_part;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::hand::{REF, git};
use crate::support::{Output, World, missing};

const HUB: &str = "hub.git";
/// Most memory that any command may take, in KiB.
const MOST_MEMORY: u64 = 200 << 10;

/// What must work whatever a remote has.
const VERBS: [&str; 6] = [
    "create -q made -l x",
    "note ID --finding found",
    "list --all --json",
    "show ID --json",
    "status --json",
    "log",
];
/// What must work besides with whatever is taken over.
const READERS: [&str; 4] = [
    "ready --json",
    "search searchable --json",
    "conflicts --json",
    "export",
];

/// What becomes of a case.
enum Expect {
    /// The whole fetch is refused, and the error has these words.
    Refused(&'static str),
    /// It is carried, and `status` names this path.
    Unreadable(String),
    /// It is taken or not, and does nothing.
    Harmless,
}

struct Case {
    name: &'static str,
    build: Build,
    expect: Expect,
}

fn refused(name: &'static str, words: &'static str, build: Build) -> Case {
    Case {
        name,
        build,
        expect: Expect::Refused(words),
    }
}

fn unreadable(name: &'static str, path: String, bytes: Vec<u8>) -> Case {
    let build = forge::at(vec![("100644", bytes, path.clone())]);
    Case {
        name,
        build,
        expect: Expect::Unreadable(path),
    }
}

fn harmless(name: &'static str, build: Build) -> Case {
    Case {
        name,
        build,
        expect: Expect::Harmless,
    }
}

/// What a case came to.
#[derive(Default)]
struct Outcome {
    wrong: Vec<String>,
    accepted: usize,
    panics: usize,
    peak: u64,
}

/// A clone `a` of a hub, whose state is sound before every case.
struct Scene {
    world: World,
    id: String,
    sound: String,
}

impl Scene {
    fn new() -> Self {
        let world = two_clones();
        if world.path("hub.git/reftable").is_dir() {
            // What no git would write can be written into loose files alone.
            let to_files = ["refs", "migrate", "--ref-format=files"];
            world.git_in("hub.git", &to_files).ok();
        }
        let id = create(&world, "a", &["good issue", "-d", "searchable"]);
        sync(&world, &["a"]);
        let sound = tip(&world, "a");
        Self { world, id, sound }
    }

    /// Points the hub's ref anywhere, also where `git update-ref` would not.
    fn point(&self, oid: &str) {
        let _ = std::fs::remove_file(self.world.path("hub.git/packed-refs"));
        let _ = std::fs::remove_dir_all(self.world.path("hub.git/refs/beads"));
        std::fs::create_dir_all(self.world.path("hub.git/refs/beads")).unwrap();
        std::fs::write(
            self.world.path("hub.git/refs/beads/main"),
            format!("{oid}\n"),
        )
        .unwrap();
    }

    /// As if no case had been before.
    fn reset(&self) {
        self.point(&self.sound);
        git(&self.world, "a", &["update-ref", REF, &self.sound]);
        for name in [
            "refs/beads-seen/origin/main",
            "refs/beads-remotes/origin/main",
        ] {
            git(&self.world, "a", &["update-ref", name, &self.sound]);
        }
    }

    fn play(&self, case: &Case, outcome: &mut Outcome) {
        self.reset();
        self.point(&(case.build)(&self.world));
        let before = self.run(&["list", "--all", "-q"], outcome).stdout;
        let said = self.run(&["sync", "--json"], outcome);
        let mut wrong = Vec::new();
        match &case.expect {
            Expect::Refused(words) => {
                if said.code != 5 || !said.stdout.contains(words) || said.all().len() > 4000 {
                    wrong.push(format!("not refused for `{words}`: {said:?}"));
                }
                let again = self.run(&["sync"], outcome);
                if again.code != 5 {
                    wrong.push(format!("not refused again: {again:?}"));
                }
                if tip(&self.world, "a") != self.sound {
                    outcome.accepted += 1;
                    wrong.push("our ref has moved".to_owned());
                }
            }
            Expect::Unreadable(path) => wrong.extend(self.carried(path, &said, outcome)),
            Expect::Harmless if ![0, 5].contains(&said.code) => wrong.push(format!("{said:?}")),
            Expect::Harmless => {}
        }
        let readers = READERS.iter().filter(|_| said.code == 0);
        for verb in VERBS.iter().chain(readers) {
            let args: Vec<&str> = verb
                .split(' ')
                .map(|word| if word == "ID" { &self.id } else { word })
                .collect();
            let output = self.run(&args, outcome);
            if output.code != 0 {
                wrong.push(format!("`{verb}` suffers: {output:?}"));
            }
        }
        let after = self.run(&["list", "--all", "-q"], outcome).stdout;
        if before.lines().any(|id| !after.contains(id)) {
            wrong.push(format!("{before} became {after}"));
        }
        outcome.wrong.extend(
            wrong
                .into_iter()
                .map(|what| what.chars().take(900).collect()),
        );
    }

    /// What is wrong with a blob that nobody can read, after it was taken over.
    fn carried(&self, path: &str, said: &Output, outcome: &mut Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        if said.code != 0 {
            wrong.push(format!("not carried: {said:?}"));
        }
        let status = self.run(&["status", "--json"], outcome).stdout;
        if !status.contains(path) {
            outcome.accepted += 1;
            wrong.push(format!("status does not name {path}: {status}"));
        }
        let blob = |clone: &str| {
            self.world
                .git_in(clone, &["rev-parse", &format!("{REF}:{path}")])
                .stdout
        };
        if blob("a") != blob(HUB) {
            wrong.push(format!("{path} is not carried byte for byte"));
        }
        wrong
    }

    /// Runs the program in the clone, watches its memory, and looks at all that it prints.
    fn run(&self, args: &[&str], outcome: &mut Outcome) -> Output {
        let (output, peak) = watched(&self.world, args);
        outcome.peak = outcome.peak.max(peak);
        if [101, 124, -1].contains(&output.code) || output.all().contains("panicked") {
            outcome.panics += 1;
            outcome
                .wrong
                .push(format!("{args:?} crashed: {:.600}", format!("{output:?}")));
        }
        let json = args.contains(&"--json");
        if let Err(what) = sane(&output, json) {
            outcome.wrong.push(format!("{args:?}: {what:.600}"));
        }
        output
    }
}

/// What is wrong with an output whatever was asked: raw control characters, JSON that is none.
fn sane(output: &Output, json: bool) -> Result<(), String> {
    let text = output.all();
    // Lists in a pipe are for programs and show texts as they are.
    let raw = text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    if let Some(raw) = raw.filter(|_| json || output.code != 0) {
        return Err(format!("a raw {raw:?}: {output:?}"));
    }
    if json && serde_json::from_str::<serde_json::Value>(&output.stdout).is_err() {
        return Err(format!("not JSON: {output:?}"));
    }
    Ok(())
}

/// Runs the program in `a`; its answer and the most memory it had, in KiB, as it logs it. What does not end is killed.
fn watched(world: &World, args: &[&str]) -> (Output, u64) {
    let log = world.path("log");
    let _ = std::fs::remove_file(&log);
    let line = [&["300", crate::support::binary()], args].concat();
    let mut command = world.command("a", "timeout", &line);
    command
        .env("GIT_BEADS_LOG", "cli=info")
        .env("GIT_BEADS_LOG_FILE", &log);
    let output = world.run(command, None);
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let peaks = log.split("peak_kib=").skip(1);
    let peaks = peaks.filter_map(|rest| rest.split_whitespace().next()?.parse().ok());
    (output, peaks.max().unwrap_or(0))
}

/// Plays cases one after the other; what is wrong is told by name.
fn played(cases: &[Case]) -> Outcome {
    let (scene, mut all) = (Scene::new(), Outcome::default());
    let in_part = cases.iter().enumerate().filter(|(n, _)| is_in_part(*n));
    for (_, case) in in_part {
        let mut outcome = Outcome::default();
        scene.play(case, &mut outcome);
        if std::env::var_os("GIT_BEADS_VERBOSE").is_some() {
            eprintln!("{:>7} KiB {}", outcome.peak, case.name);
        }
        all.wrong.extend(
            outcome
                .wrong
                .into_iter()
                .map(|what| format!("{}: {what}", case.name)),
        );
        (all.accepted, all.panics) = (all.accepted + outcome.accepted, all.panics + outcome.panics);
        all.peak = all.peak.max(outcome.peak);
    }
    all
}

#[test]
fn nothing_hostile_gets_in() {
    let mut cases = trees::cases();
    cases.extend(history::cases());
    let contents = blobs::cases();
    let count = cases.len() + contents.len();
    let (some, others) = std::thread::scope(|scope| {
        let others = scope.spawn(|| played(&contents));
        (played(&cases), others.join().unwrap())
    });
    let (accepted, panics) = (some.accepted + others.accepted, some.panics + others.panics);
    let peak = some.peak.max(others.peak);
    let figures = format!(
        "{count} cases: accepted {accepted}, panics {panics}, {} MB",
        peak >> 10
    );
    crate::properties::faults::report("hostile corpus: accepted / panics / peak memory", &figures);
    let wrong: Vec<String> = some.wrong.into_iter().chain(others.wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60 && accepted == 0 && panics == 0);
    assert!(peak < MOST_MEMORY, "{peak} KiB");
    if peak == 0 {
        missing("/proc, to measure memory by");
    }
}
