//! The registry: everything that names verbs walks it.

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Cli, Entry, Exit, Group, Verb, entry};
use crate::cli::argv::{Program, command};
use crate::cli::completion::complete;
use crate::cli::man::pages;
use crate::cli::suggest::Mistake;
use crate::cli::ui::Ui;
use crate::cli::verbs::VERBS;
use crate::env::Env;
use crate::ops::Result;
use crate::ops::answer::{Answer, AnswerKind};

#[derive(Debug, Args)]
struct ProbeArgs {
    /// How deep
    #[arg(long)]
    depth: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
struct Probed {
    depth: u8,
}

impl Answer for Probed {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Verb for ProbeArgs {
    const NAME: &'static str = "fathom";
    const ABOUT: &'static str = "Look how deep it is";
    const GROUP: Group = Group::Other;
    const ALIASES: &'static [&'static str] = &["sound-out"];
    const EXAMPLES: &'static str = "At sea:\n\n$ git beads fathom --depth 3\n";
    type Answer = Probed;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let depth = self.depth.unwrap_or_default();
        let ids = |probed: &Probed| vec![probed.depth.to_string()];
        cli.answer(Probed { depth }, ids, |ui, _| ui.line("deep"));
        Ok(Exit::one_if(depth > 5))
    }
}

fn with_probe() -> &'static [Entry] {
    let all = VERBS.iter().copied().chain([entry::<ProbeArgs>()]);
    Box::leak(all.collect())
}

/// Runs a command line; returns its exit code and what it printed.
fn run(verbs: &'static [Entry], line: &[&str]) -> (u8, String) {
    let words: Vec<_> = line.iter().map(Into::into).collect();
    let line = Program::new(verbs).parse(&words).unwrap();
    let (ui, buffer) = Ui::to_buffer(&Env::of_process(), &line.globals);
    let mut cli = Cli::new(line.globals, verbs, ui);
    let (verb, matches) = line.verb.unwrap();
    let outcome = (verb.run)(matches, &mut cli);
    let exit = cli.finish_within(outcome).unwrap();
    (exit.code(), buffer.text())
}

#[test]
fn a_verb_of_the_registry_is_known_everywhere() {
    let verbs = with_probe();
    assert_eq!(run(verbs, &["fathom"]), (0, "deep\n".to_owned()));
    assert_eq!(
        run(verbs, &["-q", "sound-out", "--depth=7"]),
        (1, "7\n".to_owned())
    );
    let help = command(verbs).render_help().to_string();
    assert!(help.contains("Look how deep it is"), "{help}");
    let words = |line: &[&str]| {
        line.iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let found = complete(
        &Env::of_process(),
        verbs,
        &words(&["git-beads", "fat"]),
        None,
        None,
    );
    assert_eq!(found, "fathom\tLook how deep it is");
    let found = complete(
        &Env::of_process(),
        verbs,
        &words(&["git-beads", "fathom", "--d"]),
        None,
        None,
    );
    let (own, global) = found.split_once('\n').unwrap();
    assert_eq!(own, "--depth\tHow deep");
    assert!(global.starts_with("--date\t") && !global.contains('\n'));
    let (_, all) = run(verbs, &["schema"]);
    assert!(all.contains("\"fathom\""), "{all}");
    let (_, one) = run(verbs, &["schema", "sound-out"]);
    assert!(one.contains("\"depth\""), "{one}");
    let pages = pages(verbs);
    assert!(pages["git-beads-fathom.1"].contains("At sea:"));
    assert!(pages["git-beads-sound-out.1"].contains(".so man1/git-beads-fathom.1"));
    let program = Program::new(verbs);
    let words = ["fathmo", "--depth", "3"].map(Into::into);
    let error = program.parse(&words).err().unwrap();
    let line = program.line(&words);
    let hint = Mistake::new(&crate::env::Env::of_process(), line)
        .explain(&error)
        .hint();
    assert_eq!(hint.as_deref(), Some("git beads fathom --depth 3"));
}

#[test]
fn no_word_names_two_verbs() {
    let mut known = BTreeSet::new();
    let words = VERBS
        .iter()
        .flat_map(|verb| verb.aliases.iter().chain([&verb.name]));
    for word in words.chain([&"help"]) {
        assert!(known.insert(word), "{word}");
    }
}

#[test]
fn every_verb_completes_from_what_it_lists_first() {
    for verb in &VERBS {
        assert!(!verb.completes.is_empty(), "{}", verb.name);
    }
}

#[test]
fn every_verb_is_explained_and_has_a_page() {
    let (help, pages) = (command(&VERBS).render_help().to_string(), pages(&VERBS));
    let text = command(&VERBS);
    for verb in text
        .get_subcommands()
        .filter(|verb| verb.get_name() != "help")
    {
        let name = verb.get_name();
        assert!(verb.get_about().is_some(), "{name}");
        let is_shown = !verb.is_hide_set();
        assert_eq!(help.contains(&format!("\n  {name} ")), is_shown, "{name}");
        let page = format!("git-beads-{name}.1");
        assert_eq!(pages.contains_key(&page), is_shown, "{name}");
    }
}
