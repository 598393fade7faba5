//! Manual pages: `git-beads(1)` and one for each verb, from what clap knows.
//!
//! Git answers `git beads --help` by `man git-beads`, and a program that is installed by copying one file brings no
//! page along: so it writes its own. What clap does not know
//! is in `man/main.txt`, and the examples are with their verbs.

pub(super) mod files;

use std::collections::BTreeMap;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use schemars::JsonSchema;
use serde::Serialize;

use super::argv;
use super::verb::Entry;
use crate::ops;

const MAIN: &str = include_str!("man/main.txt");
/// The first line of each page, by which git-beads knows its own.
const MARK: &str = ".\\\" Written by git beads man.\n";

/// A setting, as the manual page has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Setting {
    /// The key of git's configuration, or the variables of the environment.
    pub name: String,
    /// What it changes, with its usual value.
    pub meaning: String,
}

/// Returns the settings in a section of the manual page.
pub(super) fn settings(section: &str) -> Vec<Setting> {
    let lines = MAIN
        .lines()
        .skip_while(|line| line.strip_prefix("= ") != Some(section));
    let lines = lines.skip(1).take_while(|line| !line.starts_with("= "));
    let pairs = lines.filter_map(|line| line.split_once(":: "));
    pairs
        .map(|(name, meaning)| Setting {
            name: name.to_owned(),
            meaning: meaning.to_owned(),
        })
        .collect()
}

/// Returns all pages, by file name.
pub(super) fn pages(verbs: &[Entry]) -> BTreeMap<String, String> {
    let mut command = prepared(argv::command(verbs));
    command.build();
    let command = command.mut_arg("help", |arg| arg.help("Print help"));
    let mut pages = BTreeMap::from([("git-beads.1".to_owned(), main_page(&command))]);
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let page = format!("git-beads-{}.1", verb.get_name());
        for name in verb.get_visible_aliases().chain([verb.get_name()]) {
            // `git help beads-create` asks for the second, since `git beads-create` is no command.
            for other in [format!("git-beads-{name}.1"), format!("gitbeads-{name}.1")] {
                pages.insert(other, format!("{MARK}.so man1/{page}\n"));
            }
        }
        let examples = examples(verbs, verb.get_name());
        pages.insert(page, verb_page(verb, examples));
    }
    pages
}

/// Removes backquotes, which roff would turn.
fn prepared(command: Command) -> Command {
    let quoted = |text: &dyn ToString| text.to_string().replace('`', "'");
    let about = command
        .get_about()
        .map(|about| quoted(about).trim_end_matches('.').to_owned());
    let arguments = command.mut_args(|arg| {
        let help = arg.get_help().map(|help| quoted(help));
        // The help names them.
        let valued = arg.get_action().takes_values();
        let arg = if valued {
            arg.hide_possible_values(true)
        } else {
            arg
        };
        if let Some(help) = help {
            arg.help(help)
        } else {
            arg
        }
    });
    let verbs = arguments
        .mut_subcommands(prepared)
        .disable_help_subcommand(true);
    let verbs = verbs.subcommand_help_heading("VERBS");
    if let Some(about) = about {
        verbs.long_about(format!("{about}.")).about(about)
    } else {
        verbs
    }
}

fn main_page(command: &Command) -> String {
    let man = titled(command, "git-beads");
    let (description, rest) = MAIN.split_once("= EXIT CODES").unwrap_or((MAIN, ""));
    let mut page = part(|out| {
        man.render_title(out)
            .and_then(|()| man.render_name_section(out))
    });
    page += &part(|out| man.render_synopsis_section(out));
    page += &text(description);
    page += &part(|out| man.render_options_section(out));
    page += &part(|out| man.render_subcommands_section(out));
    page += &text(&format!("= EXIT CODES{rest}"));
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    page += &see_also(
        verbs
            .map(|verb| format!("git-beads-{}", verb.get_name()))
            .chain(["git".to_owned()]),
    );
    finished(&page)
}

fn verb_page(verb: &Command, examples: &str) -> String {
    let name = format!("git-beads-{}", verb.get_name());
    let man = titled(&bare(verb), &name);
    let mut page = part(|out| {
        man.render_title(out)
            .and_then(|()| man.render_name_section(out))
    });
    page += &part(|out| man.render_synopsis_section(out));
    page += &part(|out| man.render_description_section(out));
    page += &aliases(verb);
    page += &own_options(&man, verb);
    for below in verb.get_subcommands() {
        page += &below_part(verb, below);
    }
    if !examples.is_empty() {
        page += &text(&format!("= EXAMPLES\n{examples}"));
    }
    page += &text(
        "= SEE ALSO\nThe options of every verb, exit codes, configuration and environment:\n",
    );
    page += &see_also(["git-beads".to_owned()].into_iter());
    finished(&page)
}

/// Returns the examples of a verb.
fn examples(verbs: &[Entry], name: &str) -> &'static str {
    let verb = verbs.iter().find(|verb| verb.name == name);
    verb.map_or("", |verb| verb.examples)
}

/// Returns a verb without the options that every verb takes, and with clap's own line of usage.
fn bare(verb: &Command) -> Command {
    let usage = verb.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let everywhere = |arg: &clap::Arg| arg.is_global_set() || arg.get_id() == "help";
    let hide = |arg: clap::Arg| {
        if everywhere(&arg) {
            arg.hide(true)
        } else {
            arg
        }
    };
    verb.clone().override_usage(usage).mut_args(hide)
}

fn own_options(man: &Man, verb: &Command) -> String {
    let some = bare(verb).get_arguments().any(|arg| !arg.is_hide_set());
    if some {
        part(|out| man.render_options_section(out))
    } else {
        String::new()
    }
}

/// Renders a verb below a verb as a section of the page.
fn below_part(verb: &Command, below: &Command) -> String {
    let man = titled(&bare(below), "");
    let heading = format!("{} {}", verb.get_name(), below.get_name()).to_uppercase();
    let mut roff = Roff::new();
    roff.control("SH", [heading.as_str()]);
    roff.text([roman(format!("{}.", about(below)))]);
    let parts = part(|out| man.render_synopsis_section(out)) + &own_options(&man, below);
    part(|out| roff.to_writer(out)) + &parts.replace(".SH ", ".SS ")
}

fn about(verb: &Command) -> String {
    verb.get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn aliases(verb: &Command) -> String {
    let mut line = Vec::new();
    for alias in verb.get_visible_aliases() {
        line.push(roman(if line.is_empty() { "Also " } else { ", " }));
        line.push(bold(
            ops::Command::line("git beads").word(alias).to_string(),
        ));
    }
    if line.is_empty() {
        return String::new();
    }
    line.push(roman("."));
    let mut roff = Roff::new();
    part(|out| roff.control("PP", []).text(line).to_writer(out))
}

fn titled(command: &Command, name: &str) -> Man {
    let source = format!("git-beads {}", env!("CARGO_PKG_VERSION"));
    // Roff would take the next word for an empty date.
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .date("\"\"");
    man.source(source).manual("Git Beads Manual")
}

fn see_also(names: impl Iterator<Item = String>) -> String {
    let mut line: Vec<Inline> = Vec::new();
    for name in names {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        line.extend([bold(name), roman("(1)")]);
    }
    part(|out| Roff::new().text(line).to_writer(out))
}

/// Renders a part of a page, without the lines that each rendering begins with.
fn part(render: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = render(&mut out);
    String::from_utf8_lossy(&out).replace(&Roff::new().render(), "")
}

/// Completes a page by its mark and first lines; mandoc warns of spaces at the end of a line.
fn finished(page: &str) -> String {
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    format!("{MARK}{}{}\n", Roff::new().render(), lines.join("\n"))
}

/// Sets a text: `= HEADING`, `TERM:: what it is`, `$ command`, paragraphs between empty lines.
fn text(source: &str) -> String {
    let mut roff = Roff::new();
    let (mut example, mut first) = (false, false);
    for line in source.lines() {
        let command = line.strip_prefix("$ ");
        match (example, command.is_some()) {
            (false, true) => _ = roff.control("RS", ["4"]).control("EX", []),
            (true, false) => _ = roff.control("EE", []).control("RE", []),
            _ => {}
        }
        example = command.is_some();
        if let Some(command) = command {
            roff.text([roman(command)]);
        } else if let Some(heading) = line.strip_prefix("= ") {
            roff.control("SH", [heading]);
        } else if let Some((term, meaning)) = line.split_once(":: ") {
            roff.control("TP", [])
                .text([bold(term)])
                .text(spans(meaning));
        } else if !line.is_empty() {
            if !first {
                roff.control("PP", []);
            }
            roff.text(spans(line));
        }
        first = line.starts_with("= ");
    }
    if example {
        roff.control("EE", []).control("RE", []);
    }
    part(|out| roff.to_writer(out))
}

/// Makes the text between backquotes bold.
fn spans(line: &str) -> Vec<Inline> {
    let pieces = line.split('`').enumerate();
    pieces
        .map(|(n, piece)| {
            if n % 2 == 1 {
                bold(piece)
            } else {
                roman(piece)
            }
        })
        .collect()
}
