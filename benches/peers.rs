//! Other trackers, where they are on the `PATH`: found, never brought along.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::kit::{self, World, attempted, median, millis, quiet, ratio, timed};

/// Those that know no import get so many issues, one by one.
const FEW: usize = 300;

/// Another tracker.
struct Peer {
    name: &'static str,
    program: &'static str,
    /// What `--version` says, where several programs bear the name.
    says: &'static str,
    /// Shell: `$FILE` are the issues, `$N` is how many.
    fill: &'static str,
    /// Shell: prints an id to work with.
    id: &'static str,
    /// Name and arguments; `ID` stands for the id, `ROUND` for a number that is another each time.
    commands: &'static [(&'static str, &'static [&'static str])],
    /// So many issues at most.
    most: usize,
}

const BEADS: &[(&str, &[&str])] = &[
    ("list", &["list", "--json"]),
    ("ready", &["ready", "--json"]),
    ("show", &["show", "ID", "--json"]),
    (
        "update",
        &["update", "ID", "--title", "updated ROUND", "--json"],
    ),
];

const PEERS: [Peer; 6] = [
    Peer {
        name: "bd",
        program: "bd",
        says: "bd version",
        fill: "bd init --prefix bd --quiet && bd import -i $FILE",
        id: "bd list --json --limit 1 | grep -o '\"id\": *\"[^\"]*\"' | head -1 | cut -d'\"' -f4",
        commands: BEADS,
        most: usize::MAX,
    },
    Peer {
        name: "beads-rs",
        program: "bd",
        says: "bd 0.",
        fill: "git init -q --bare ../hub && git remote add origin ../hub && git push -q origin HEAD && bd init && bd migrate from-go --force --input $FILE",
        id: "bd list --json | grep -o '\"id\": *\"[^\"]*\"' | head -1 | cut -d'\"' -f4",
        commands: BEADS,
        most: usize::MAX,
    },
    Peer {
        name: "br",
        program: "br",
        says: "",
        fill: "br init --prefix bd && cp $FILE .beads/issues.jsonl && br sync --import-only",
        id: "br list --json --limit 1 | grep -o '\"id\": *\"[^\"]*\"' | head -1 | cut -d'\"' -f4",
        commands: BEADS,
        most: usize::MAX,
    },
    Peer {
        name: "grite",
        program: "grite",
        says: "",
        fill: "grite init --no-agents-md && for i in $(seq $N); do grite --no-daemon issue create --title \"Issue $i\" --body text; done",
        id: "grite --json --no-daemon issue list | grep -o '\"issue_id\": *\"[^\"]*\"' | head -1 | cut -d'\"' -f4",
        commands: &[
            ("list", &["--json", "--no-daemon", "issue", "list"]),
            ("ready", &["--json", "--no-daemon", "issue", "dep", "topo"]),
            ("show", &["--json", "--no-daemon", "issue", "show", "ID"]),
            (
                "update",
                &[
                    "--json",
                    "--no-daemon",
                    "issue",
                    "update",
                    "ID",
                    "--title",
                    "updated ROUND",
                ],
            ),
        ],
        most: FEW,
    },
    Peer {
        name: "git-bug",
        program: "git-bug",
        says: "",
        fill: "git-bug user new -n bench -e bench@localhost --non-interactive && for i in $(seq $N); do git-bug bug new -t \"Issue $i\" -m text --non-interactive; done",
        id: "git-bug bug --format id | head -1",
        commands: &[
            ("list", &["bug"]),
            ("show", &["bug", "show", "ID"]),
            (
                "update",
                &[
                    "bug",
                    "title",
                    "edit",
                    "ID",
                    "-t",
                    "updated ROUND",
                    "--non-interactive",
                ],
            ),
        ],
        most: FEW,
    },
    Peer {
        name: "git-issue",
        program: "git-issue",
        says: "",
        fill: "git config core.editor true && git-issue init && for i in $(seq $N); do git-issue new \"Issue $i\"; done",
        id: "echo 1",
        commands: &[
            ("list", &["list", "--columns", "*"]),
            ("show", &["show", "ID"]),
            ("update", &["set", "ID", "--title", "updated ROUND"]),
        ],
        most: FEW,
    },
];

impl Peer {
    fn is_here(&self) -> bool {
        let output = Command::new(self.program).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(self.says))
    }

    fn shell(&self, world: &World, script: &str, file: &Path, n: usize) -> Option<String> {
        let mut command = quiet(&world.repo, "sh", &["-c", script]);
        command
            .env("FILE", file)
            .env("N", n.to_string())
            .env("EDITOR", "true")
            .env("BD_NO_AUTO_UPGRADE", "1");
        let output = command
            .stdout(std::process::Stdio::piped())
            .output()
            .unwrap();
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// Times list, ready, show and update of each peer that is there against ours on the same issues.
pub(crate) fn compare(file: &Path, size: usize) {
    for peer in PEERS.iter().filter(|peer| peer.is_here()) {
        let n = size.min(peer.most);
        let (theirs, ours) = (World::new(), World::with_issues(n).0);
        let filled = peer.shell(&theirs, peer.fill, file, n);
        let Some(id) = filled
            .and_then(|_| peer.shell(&theirs, peer.id, file, n))
            .filter(|id| !id.is_empty())
        else {
            println!("\n{}: could not be filled with {n} issues", peer.name);
            continue;
        };
        println!(
            "\n| {} with {n} issues | its time | ours | times faster |\n|---|---|---|---|",
            peer.name
        );
        for (name, args) in peer.commands {
            let words = |id: &str| {
                args.iter()
                    .map(|word| word.replace("ID", id))
                    .collect::<Vec<_>>()
            };
            row(peer, name, &theirs, &words(&id), &ours);
        }
    }
}

fn row(peer: &Peer, name: &str, theirs: &World, words: &[String], ours: &World) {
    let mut their_times: Vec<Duration> = Vec::new();
    let mut our_times = Vec::new();
    for round in 0..kit::rounds(40).min(15) {
        let words: Vec<String> = words
            .iter()
            .map(|word| word.replace("ROUND", &round.to_string()))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = quiet(&theirs.repo, peer.program, &words);
        command
            .env("EDITOR", "true")
            .env("GIT_EDITOR", "true")
            .env("BD_NO_AUTO_UPGRADE", "1");
        let Some(time) = attempted(&mut command) else {
            println!("| {name} | fails | | |");
            return;
        };
        their_times.push(time);
        let title = format!("updated {round}");
        let id = ours.id(round);
        our_times.push(timed(&mut match name {
            "show" => ours.beads(&["show", id]),
            "update" => ours.beads(&["update", id, "--title", &title]),
            verb => ours.beads(&[verb]),
        }));
    }
    let (their, our) = (median(their_times), median(our_times));
    println!(
        "| {name} | {:.1} ms | {:.2} ms | {:.0} |",
        millis(their),
        millis(our),
        ratio(their, our)
    );
}
