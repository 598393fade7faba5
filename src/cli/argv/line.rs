//! The words of a command line with the part that each plays, and the short forms that are written out.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Invocation, Program};
use crate::cli::completion::line::{CommandLine, Part};
use crate::cli::verb::Entry;

/// The options of every verb that take a value.
const VALUED: [&str; 5] = ["-C", "--actor", "--agent", "--color", "--date"];

/// Returns the index of the verb, which may be one of others: the first word that is neither an option nor the value of one.
/// It needs no verb of clap, since an error of a verb that has run is not to take longer than the verb.
pub(in crate::cli) fn verb_at(words: &[String]) -> Option<usize> {
    let mut is_value = false;
    words.iter().position(|word| {
        let is_verb = !is_value && !word.starts_with('-');
        is_value = VALUED.contains(&word.as_str());
        is_verb
    })
}

/// A command line, without the program's name. It reads as its words.
pub(in crate::cli) struct Line<'p> {
    program: &'p Program,
    /// The words as they were given: a rewritten line loses no byte of them.
    pub(super) args: Vec<OsString>,
    words: Vec<String>,
    read: OnceCell<LineParts<'p>>,
}

struct LineParts<'p> {
    line: CommandLine<'p>,
    parts: Vec<Part>,
}

impl Deref for Line<'_> {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.words
    }
}

impl<'p> Line<'p> {
    pub(super) fn new(program: &'p Program, args: Vec<OsString>) -> Self {
        let words = args.iter().map(|arg| arg.to_string_lossy().into_owned());
        Self {
            program,
            words: words.collect(),
            args,
            read: OnceCell::new(),
        }
    }

    /// Returns another line of the same program.
    pub(in crate::cli) fn with(&self, words: Vec<String>) -> Self {
        Self::new(
            self.program,
            words.into_iter().map(OsString::from).collect(),
        )
    }

    pub(in crate::cli) fn root(&self) -> &'p clap::Command {
        self.program.root()
    }

    pub(in crate::cli) fn understood(&self) -> Result<Invocation, clap::Error> {
        self.program.parse(&self.args)
    }

    fn read(&self) -> &LineParts<'p> {
        self.read.get_or_init(|| {
            let (line, parts) = CommandLine::parts(self.root(), &self.words);
            LineParts { line, parts }
        })
    }

    /// Returns the part that each word plays.
    pub(in crate::cli) fn parts(&self) -> &[Part] {
        &self.read().parts
    }

    /// Returns the verb of ours as clap knows it; the program where there is none.
    fn known_verb(&self) -> &'p clap::Command {
        self.read().line.verb
    }

    pub(in crate::cli) fn has_argument(&self) -> bool {
        self.read().line.given > 0
    }

    /// Returns the folder that `-C` names.
    pub(in crate::cli) fn dir(&self) -> Option<PathBuf> {
        self.read().line.dir.clone()
    }

    /// Returns the verb, which may be one of others; empty without one.
    pub(in crate::cli) fn verb(&self) -> &str {
        verb_at(self).map_or("", |at| &self.words[at])
    }

    /// Returns the indices of the words behind the verb that are neither options nor their values.
    pub(in crate::cli) fn arguments(&self) -> Vec<usize> {
        let first = verb_at(self).map_or(0, |at| at + 1);
        let is_argument = |at: &usize| self.parts()[*at] == Part::Argument;
        (first..self.words.len()).filter(is_argument).collect()
    }

    pub(super) fn position(&self, part: Part, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        (0..self.words.len()).find(|at| self.parts()[*at] == part && is_it(&self.words[*at]))
    }

    pub(super) fn entry(&self) -> Option<&'static Entry> {
        let name = self.known_verb().get_name();
        self.program.verbs.iter().find(|verb| verb.name == name)
    }

    fn takes(&self, is_option: impl Fn(&clap::Arg) -> bool) -> bool {
        self.known_verb().get_arguments().any(is_option)
    }

    /// The option says it, so that a verb that gets a query needs no other mark.
    pub(super) fn takes_query(&self) -> bool {
        self.takes(|arg| arg.get_long() == Some("where"))
    }

    /// Returns the line with one word replaced.
    pub(super) fn spliced(&self, at: usize, new: Vec<OsString>) -> Self {
        let mut args = self.args.clone();
        args.splice(at..=at, new);
        Line::new(self.program, args)
    }

    /// Returns the line with one of its short forms written out, where clap does not know a word of it.
    pub(super) fn rewritten(&self, error: &clap::Error) -> Option<Self> {
        let unknown = match error.get(ContextKind::InvalidArg)? {
            ContextValue::String(word) if error.kind() == ErrorKind::UnknownArgument => word,
            _ => return None,
        };
        let mut rewritten = SHORT_FORMS.iter().map(|form| form(self, unknown));
        let next = rewritten.find_map(|next| next)?;
        (next.args != self.args).then_some(next)
    }

    /// Returns the line with all its arguments behind `--`, and those of its options that are texts; none without such a text,
    /// or where the verb takes none.
    pub(in crate::cli) fn with_texts(&self, is_text: impl Fn(&str) -> bool) -> Option<Self> {
        self.position(Part::Option, &is_text)?;
        self.entry().filter(|verb| verb.takes_texts)?;
        let (mut options, mut arguments) = (Vec::new(), Vec::new());
        for (at, arg) in self.args.iter().enumerate() {
            match self.parts()[at] {
                // What is behind dashes already stays there: the line has one pair of them.
                Part::Dashes => {}
                Part::Argument => arguments.push(arg.clone()),
                Part::Option if is_text(&self.words[at]) => arguments.push(arg.clone()),
                _ => options.push(arg.clone()),
            }
        }
        options.push("--".into());
        options.extend(arguments);
        Some(Line::new(self.program, options))
    }
}

/// A short form, written out; the word is the one that clap does not know.
type ShortForm = for<'p> fn(&Line<'p>, &str) -> Option<Line<'p>>;

/// The short forms, in the order in which they are tried.
const SHORT_FORMS: [ShortForm; 3] = [saved, limit, list_items];

/// Returns a line with `-w` in front of the name of a saved query: `list @mine`.
fn saved<'p>(line: &Line<'p>, unknown: &str) -> Option<Line<'p>> {
    if !unknown.starts_with('@') || !line.takes_query() {
        return None;
    }
    let at = line.iter().position(|word| word == unknown)?;
    Some(line.spliced(at, vec![format!("--where={unknown}").into()]))
}

/// Returns a line with `-nN` in the place of `-N`, as in `git log -10`.
fn limit<'p>(line: &Line<'p>, _: &str) -> Option<Line<'p>> {
    line.iter().find_map(|word| number(word))?;
    if !line.takes(|arg| arg.get_short() == Some('n')) {
        return None;
    }
    let at = line.position(Part::Option, |word| number(word).is_some())?;
    Some(line.spliced(at, vec![format!("-n{}", number(&line[at])?).into()]))
}

fn number(word: &str) -> Option<usize> {
    word.strip_prefix('-')?.parse().ok()
}

/// Returns a line with its texts behind `--`, if one is an item of a list: no option begins with a dash and a blank.
fn list_items<'p>(line: &Line<'p>, _: &str) -> Option<Line<'p>> {
    line.with_texts(|word| {
        let text = word.trim_start_matches('-');
        text.starts_with(char::is_whitespace)
    })
}
