//! No line that the program offers as a command runs anything of what others wrote: each is run here, by a shell for
//! which git is a stub.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::clients::mcp::Agent;
use crate::properties::faults::plain_or;
use crate::support::clones::{create, script, sync, two_clones};
use crate::support::hand::{set_registers, uid};
use crate::support::{World, tools};

/// The file that a line makes which runs something of the text of others, without a blank or a slash: an id has neither.
const MAKE: &str = "touch${IFS}$PWNED";

/// Ways to leave a word of a shell.
fn attacks() -> Vec<String> {
    let forms = [
        "$(MAKE)",
        "`MAKE`",
        ";MAKE;",
        "'$(MAKE)'",
        "'\"$(MAKE)",
        "|MAKE",
        "&MAKE&",
        ">$PWNED",
        "\\$(MAKE)",
        "\"`MAKE`",
    ];
    forms.map(|form| form.replace("MAKE", MAKE)).into()
}

/// All that was said: lines for people, and texts of answers in JSON.
#[derive(Default)]
struct Said(BTreeSet<String>);

impl Said {
    fn text(&mut self, text: &str) {
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => self.json(&value),
                _ => _ = self.0.insert(line.to_owned()),
            }
        }
    }

    fn json(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().for_each(|item| self.json(item)),
            Value::Object(map) => map.values().for_each(|item| self.json(item)),
            _ => {}
        }
    }

    /// Returns each part of a line that may be taken for a command.
    fn commands(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for line in &self.0 {
            let line = line.trim();
            let rest = ["next: ", "hint: ", "redo: "]
                .iter()
                .find_map(|label| line.strip_prefix(label));
            found.extend(rest.map(str::to_owned));
            for start in ["git ", "ls -", "mv ", "rm ", "chmod ", "export "] {
                let begins = line.match_indices(start).map(|(at, _)| at);
                let word = |at: &usize| !line[..*at].ends_with(|c: char| c.is_alphanumeric());
                found.extend(begins.filter(word).map(|at| line[at..].to_owned()));
            }
        }
        // A command ends where the sentence goes on.
        for line in found.clone() {
            for end in ["; ", ")", ", then ", " && ", "`"] {
                found.extend(line.split_once(end).map(|(command, _)| command.to_owned()));
            }
        }
        found
    }
}

fn shell() -> String {
    tools::base().join("sh").display().to_string()
}

/// Runs each command of what was said, and returns those that ran something of the text of others.
fn harmful(world: &World, said: &Said) -> Vec<String> {
    let (bin, witness) = (world.path("stubs"), world.path("witness"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(world.path("cell")).unwrap();
    let touch = tools::find_in_system("touch").unwrap();
    let _ = symlink(touch, bin.join("touch"));
    for stub in ["git", "git-beads", "ls", "mv", "rm", "chmod"] {
        script(world, &format!("stubs/{stub}"), "exit 0");
    }
    let mut bad = Vec::new();
    for line in said.commands() {
        let mut shell = world.command("cell", &shell(), &["-c", &line]);
        shell.env_clear().env("PATH", &bin).env("PWNED", &witness);
        let _ = world.run(shell, None);
        if std::fs::remove_file(&witness).is_ok() {
            bad.push(line);
        }
    }
    bad
}

/// A clone `v` of a hub whose issues have such ids, and all else of the kind; returns the ids.
fn victim() -> (World, Vec<String>) {
    let world = two_clones();
    let attacks = attacks();
    let plain: Vec<String> = (0..attacks.len() + 2)
        .map(|n| {
            let evil = &attacks[n % attacks.len()];
            let label = format!("l{evil}");
            create(
                &world,
                "a",
                &[&format!("t {evil}"), "-l", &label, "-a", evil, "-p", "0"],
            )
        })
        .collect();
    for pair in plain.windows(2) {
        world
            .bd_in(
                "a",
                &["dep", "add", &pair[0], "--on", &pair[1], "-t", "related"],
            )
            .ok();
    }
    world
        .bd_in("a", &["ask", &plain[0], "Which?", "--option", &attacks[0]])
        .ok();
    world.bd_in("a", &["ask", &plain[0], "And?"]).ok();
    world
        .bd_in("a", &["block", &plain[1], "-r", &attacks[0]])
        .ok();
    world
        .bd_in("a", &["dep", "add", &plain[2], "--on", &plain[3]])
        .ok();
    let epic = create(&world, "a", &[&format!("e {}", attacks[0]), "-t", "epic"]);
    let child = create(&world, "a", &["Child", "--parent", &epic]);
    world.bd_in("a", &["done", &child]).ok();
    world.bd_in("a", &["reopen", &epic, "-r", "not yet"]).ok();
    sync(&world, &["a"]);
    let mut ids = Vec::new();
    for (n, id) in plain.iter().enumerate() {
        // Two of them end alike, and two have the same id.
        let new = format!("bd-x{}", attacks[n.min(attacks.len() - 1)]);
        let open = json!({"id": new, "status": {"s": "open"}, "parent": null});
        set_registers(&world, "hub.git", &uid(&world, "a", id), &open);
        ids.push(new);
    }
    ids.dedup();
    world.bd_in(".", &["clone", "hub.git", "v", "-q"]).ok();
    // Names that git allows in its configuration and in refs.
    let remote = format!("o{}", attacks[0]);
    for name in [remote.as_str(), "p'q"] {
        world
            .git_in(
                "v",
                &["config", &format!("remote.{name}.url"), "../none.git"],
            )
            .ok();
    }
    world
        .git_in("v", &["config", "--unset-all", "beads.remote"])
        .fails(5);
    world
        .git_in("v", &["commit", "--quiet", "--allow-empty", "-m", "x"])
        .ok();
    world
        .git_in("v", &["branch", &format!("b{}", attacks[0])])
        .ok();
    (world, ids)
}

/// The verbs that change nothing or little, with what they are given: `ID` is a hostile id, `TEXT` and `NAME` hostile
/// texts.
const LINES: &str = "\
list;list --tree;list --all -l TEXT;list -w TEXT;list -a NAME;list --at TEXT;list -s TEXT;list -t TEXT
ready;ready --explain;ready -a NAME;show ID;show bd-x;show x;show TEXT;show ID --at TEXT;show ID zz
search TEXT;search Which;status;board;blocked;inbox;inbox --all;context;context ID;prime;commit-msg ID;log;log ID;log TEXT
whats-new --since 2001-01-01;graph;graph ID;graph --all --dot;stats;labels;types;people;blame ID;blame TEXT;diff TEXT
conflicts;doctor;doctor --remote;where;queries;settings;version;hooks status;setup;setup claude;man;completion bash;schema list
watch --timeout 0s;wait ID --until closed --timeout 0s;wait ID --until TEXT;edit ID;export;snapshot;carry --full;carry --stdout;carry
start ID --actor NAME;start ID --actor bob;start ID --actor bob --force;start ID --claims TEXT;note ID --finding TEXT
note ID --finding TEXT --agent NAME;done ID --actor NAME;done ID -r TEXT --actor eve;done ID --force -r TEXT;done ID;reopen ID
reopen ID -r TEXT;stop ID;stop ID --actor NAME;block ID -r TEXT;unblock ID;defer ID;unblock ID;delete ID -r TEXT;show ID
update ID -p 9;restore ID;update ID -p 1;update ID -t TEXT;update ID --parent ID;update ID --add-label TEXT;create TEXT -l TEXT
create child --parent ID;create x --id TEXT;split ID x y;q TEXT;rename ID TEXT;rename ID bd-x;rename-prefix TEXT;dep add ID --on ID
dep add ID --on TEXT;dep add ID --on bd-x -t child-of;dep rm ID --on ID;dep tree ID;dep cycles;link ID TEXT;label ID TEXT
label ID --rm TEXT;assign ID NAME;priority ID TEXT;ask ID TEXT;answer ID TEXT;answer ID 9 TEXT;redact ID TEXT
resolve ID title;resolve ID TEXT --take 1;undo TEXT;undo;undo --dry-run;import TEXT;init;init --prefix TEXT
init --from TEXT;clone TEXT;sync --remote NAME;sync --remote REMOTE;sync;fetch --remote REMOTE;pull --remote REMOTE;push --remote REMOTE
collect --branch TEXT;collect --file TEXT;collect --remote REMOTE;purge ID;purge ID --yes;show ID;uninstall;mcp --repo TEXT
hooks install --event TEXT;hooks uninstall;demo TEXT;help TEXT;TEXT;list --TEXT;lsit ID;shwo ID;list -n TEXT;accept ID;accept TEXT;inbox --repos;ui;serve --idle TEXT";

fn verbs(said: &mut Said, world: &World, ids: &[String]) -> BTreeSet<String> {
    let (remote, mut seen) = (format!("o{}", attacks()[0]), BTreeSet::new());
    // Each line with several of the ids; which ones, is another matter in each round.
    for round in 0..plain_or(1, 2) {
        for (at, line) in LINES.split([';', '\n']).enumerate() {
            let n = (at * 5 + round) % ids.len();
            let id = &ids[n];
            let name = format!("n'{} $PWNED", attacks()[n % attacks().len()]);
            let words: Vec<String> = line
                .split(' ')
                .map(|word| match word {
                    "ID" => id.clone(),
                    "NAME" => name.clone(),
                    "REMOTE" => remote.clone(),
                    _ => word.replace("TEXT", &attacks()[n % attacks().len()]),
                })
                .collect();
            let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
            seen.insert(words[0].clone());
            let output = world.bd_in("v", &args);
            said.text(&output.stdout);
            said.text(&output.stderr);
            if !line.contains("--yes") && !line.contains("demo") {
                args.insert(0, "--json");
                said.text(&world.bd_in("v", &args).stdout);
            }
        }
    }
    seen
}

fn tools_of_agents(said: &mut Said, world: &World, ids: &[String]) {
    let mut agent = Agent::in_folder(world, "v", &["--profile", "full"]);
    for tool in agent.tools() {
        let name = tool["name"].as_str().unwrap().to_owned();
        if name.contains("wait") {
            continue;
        }
        for (n, id) in ids.iter().enumerate() {
            let text = format!("{} \"$(touch $PWNED)", attacks()[n % attacks().len()]);
            let mut arguments = serde_json::Map::new();
            for key in tool["inputSchema"]["properties"]
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::keys)
            {
                let value = match key.as_str() {
                    "id" | "issue_id" | "epic_id" | "parent" => json!(id),
                    "depends_on" => json!([id]),
                    _ => json!(text),
                };
                let alone = json!({"id": id, "issue_id": id, key: value});
                said.text(&agent.raw(&name, &alone).0);
                arguments.insert(key.clone(), value);
            }
            said.text(&agent.raw(&name, &json!(arguments)).0);
        }
    }
}

#[test]
fn no_line_runs_what_others_wrote() {
    let (world, ids) = victim();
    let mut said = Said::default();
    let seen = verbs(&mut said, &world, &ids);
    let documented = include_str!("../../../docs/cli.md");
    let headings = documented
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
    let missed: Vec<&str> = headings.filter(|verb| !seen.contains(*verb)).collect();
    assert!(missed.is_empty(), "verbs that were not run: {missed:?}");
    assert!(said.commands().len() > 100, "{:#?}", said.commands());
    let bad = harmful(&world, &said);
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_line_names_the_issue_as_it_is() {
    let (world, mut ids) = victim();
    // Several issues have the last one.
    ids.pop();
    script(&world, "stubs/git", "printf '%s' \"$3\"");
    for id in ids {
        let said = world.bd_in("v", &["update", &id, "-p", "1"]).ok();
        let next = said.lines().find_map(|line| line.strip_prefix("next: "));
        let mut shell = world.command(".", &shell(), &["-c", next.unwrap()]);
        shell.env("PATH", world.path("stubs"));
        assert_eq!(world.run(shell, None).ok(), id, "{said}");
    }
}

/// Ids like these are given to no issue; those that have one keep working.
#[test]
fn an_id_that_needs_quotes_is_kept_and_not_given() {
    let (world, ids) = victim();
    let (id, other) = (&ids[0], &ids[1]);
    let exported = world.bd_in("v", &["export", "all.jsonl"]);
    exported.ok();
    let imported = world.bd_in("v", &["import", "all.jsonl", "--json"]).json();
    assert_eq!(imported["created"], 0, "{imported}");
    assert_eq!(imported["errors"], json!([]), "{imported}");
    world.bd_in("v", &["note", id, "--finding", "f"]).ok();
    world.bd_in("v", &["dep", "add", id, "--on", other]).ok();
    for args in [
        &["create", "child", "--parent", id][..],
        &["rename", id, other],
        &["rename", "bd-none", other],
        &["init", "--prefix", other],
        &["rename-prefix", other],
    ] {
        let error = world.bd_in("v", args);
        assert_eq!(error.code, 1, "{error:?}");
        assert!(
            error.stderr.contains("hint: ") && error.stderr.contains("git beads "),
            "{error:?}"
        );
    }
    world.bd_in("v", &["rename", id, "bd-plain"]).ok();
    world.bd_in("v", &["show", id]).ok();
    world
        .bd_in("v", &["create", "child", "--parent", "bd-plain"])
        .ok();
    // Restores the id: what was there before is not given anew.
    world.bd_in("v", &["undo"]).ok();
    world.bd_in("v", &["undo"]).ok();
    assert!(
        world
            .bd_in("v", &["list", "-q", "--all"])
            .ok()
            .contains(id.as_str())
    );
}

#[test]
fn no_call_offers_what_others_wrote_as_a_command() {
    let (world, ids) = victim();
    let mut said = Said::default();
    tools_of_agents(&mut said, &world, &ids);
    let bad = harmful(&world, &said);
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_folder_is_quoted_too() {
    let (world, ids) = victim();
    let folder = "v $(touch $PWNED)'s";
    std::fs::rename(world.path("v"), world.path(folder)).unwrap();
    let mut said = Said::default();
    let all = world.path("").display().to_string();
    for line in [
        "done ID",
        "start ID",
        "show bd-x",
        "nosuch",
        "doctor",
        "hooks install",
        "setup",
        "where",
        "init",
        "import x",
    ] {
        let line: Vec<&str> = line
            .split(' ')
            .map(|word| if word == "ID" { &ids[0] } else { word })
            .collect();
        let within = world.bd_in(folder, &line);
        let named = world.bd_in(".", &[&["-C", folder][..], &line].concat());
        for output in [within, named] {
            said.text(&output.stdout.replace("WORLD", &all));
            said.text(&output.stderr.replace("WORLD", &all));
        }
    }
    let bad = harmful(&world, &said);
    assert!(bad.is_empty(), "{bad:#?}");
}
