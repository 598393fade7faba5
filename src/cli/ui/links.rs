//! Addresses that a terminal opens with a click (the escape sequence OSC 8).
//!
//! Where they can't be sent the text is all: no address is shown by a link alone.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io::Read as _;
use std::process::Stdio;

use super::{Ui, shell};
use crate::env::Env;
use crate::model::prose::is_address;
use crate::ops::Tracker;
use crate::text::address::ascii;
use crate::text::line::{Look, Span};
use crate::text::words::id_words;

/// The first version of less that passes them on (its release notes of 2020).
const LESS: u32 = 566;

/// Bytes of the longest address that is sent; terminals drop longer ones.
const LONGEST: usize = 2000;

/// What is known of whether links are sent, and where those of issues lead.
#[derive(Default)]
pub(super) struct Links {
    is_refused: bool,
    /// The address of an exported page that has the issues.
    page: Option<String>,
    /// The ids that are known to be in the texts that are shown.
    known: HashSet<String>,
    /// The command of the pager.
    pub(super) pager: Option<String>,
    /// Whether what shows the answer passes them on, once that was needed.
    is_passed_on: OnceCell<bool>,
}

impl Links {
    /// Returns what holds before anything is configured: links are sent, unless that is refused.
    pub(super) fn unless(is_refused: bool) -> Self {
        Self {
            is_refused,
            ..Self::default()
        }
    }

    /// Returns what the repository has configured.
    pub(super) fn configured(tracker: &Tracker) -> Self {
        Self {
            is_refused: tracker.config_bool("beads.hyperlinks") == Some(false),
            page: tracker.config("beads.page").filter(|page| is_address(page)),
            ..Self::default()
        }
    }

    fn are_passed_on(&self, env: &Env) -> bool {
        let passes = || {
            self.pager
                .as_deref()
                .is_none_or(|pager| passes_on(env, pager))
        };
        *self.is_passed_on.get_or_init(passes)
    }
}

impl Ui {
    /// Returns a span that leads to an address, where a click can follow it.
    pub(in crate::cli) fn linked<'t>(&self, span: Span<'t>, address: &str) -> Span<'t> {
        let address = ascii(address);
        if address.len() > LONGEST || !self.sends_links() {
            return span;
        }
        let Span { look, text } = span;
        let link = Some(address.into());
        Span::new(Look { link, ..look }, text)
    }

    fn sends_links(&self) -> bool {
        let is_wanted = self.terminal && self.colour && !self.links.is_refused;
        is_wanted && self.links.are_passed_on(&self.env)
    }

    /// Returns the id of an issue, that leads to its issue.
    pub(in crate::cli) fn id<'t>(&self, id: &'t str) -> Span<'t> {
        self.leading(Span::new(Look::default(), self.cell(id)), id)
    }

    /// Returns a span that leads to an issue in the exported page, where `beads.page` names one.
    pub(in crate::cli) fn leading<'t>(&self, span: Span<'t>, id: &str) -> Span<'t> {
        match &self.links.page {
            Some(page) => self.linked(span, &format!("{page}#/{id}")),
            None => span,
        }
    }

    /// Returns a name in another tracker, that leads there where it is an address.
    pub(in crate::cli) fn external<'t>(&self, name: &'t str) -> Span<'t> {
        let span = Span::new(Look::default(), self.cell(name));
        match is_address(name) {
            true => self.linked(span, name),
            false => span,
        }
    }

    /// Returns true if ids can lead anywhere.
    pub(in crate::cli) fn has_page(&self) -> bool {
        self.links.page.is_some()
    }

    /// Takes over which words of texts are ids of issues.
    pub(in crate::cli) fn know(&mut self, ids: HashSet<String>) {
        self.links.known = ids;
    }

    /// Appends a text, in which the ids that are known lead to their issues.
    pub(in crate::cli) fn mentions<'t>(&self, look: &Look, text: &str, to: &mut Vec<Span<'t>>) {
        let mut end = 0;
        if look.link.is_none() && !self.links.known.is_empty() {
            for (begin, id) in id_words(text).filter(|(_, id)| self.links.known.contains(*id)) {
                to.push(Span::new(look.clone(), text[end..begin].to_owned()));
                to.push(self.leading(Span::new(look.clone(), id.to_owned()), id));
                end = begin + id.len();
            }
        }
        to.push(Span::new(look.clone(), text[end..].to_owned()));
    }
}

/// Returns true if a pager sends links to the terminal.
fn passes_on(env: &Env, command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    if program.rsplit('/').next() != Some("less") {
        return false;
    }
    // Only where a link is to be printed: this starts a process.
    let version = said(env, &format!("{program} --version"));
    let number = version.strip_prefix("less ").unwrap_or_default();
    let number = number.split(|c: char| !c.is_ascii_digit()).next();
    number.is_some_and(|text| text.parse::<u32>().is_ok_and(|number| number >= LESS))
}

/// Returns what a command prints; nothing where it can't be run.
fn said(env: &Env, command: &str) -> String {
    let mut text = String::new();
    let mut shell = shell(env, command);
    shell
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Ok(mut child) = shell.spawn() {
        let mut out = child.stdout.take();
        // What is no text is no version either.
        let _ = out.as_mut().map(|out| out.read_to_string(&mut text));
        drop(out);
        let _ = child.wait();
    }
    text
}
