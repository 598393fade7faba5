//! The palette: one line that finds what there is to do and to see, or that runs a verb.

use super::prompt::{Choice, Go, Prompt, Then};
use super::{ScreenName, Selected, State};
use crate::desk::keys::{Does, KEYS, shown};
use crate::ops::scene::named::NamedIssue;
use crate::ops::shared::query::SavedQuery;
use crate::ui::asks::Ask;

/// The verbs that have the terminal for themselves, or that do not end by themselves.
const OF_TERMINAL: [&str; 6] = ["edit", "mcp", "serve", "ui", "wait", "watch"];

/// What is said where a text finds nothing.
const NOTHING: &str = "nothing here has these words, and no verb begins the line";

/// What was asked for the palette.
#[derive(Debug, Default)]
pub(super) struct Palette {
    saved: Vec<SavedQuery>,
    /// True until the saved queries are here.
    wants_saved: bool,
    /// The issues that the text has found, each with its repository.
    found: Vec<(usize, NamedIssue)>,
    /// The text that was looked for last, and the answers that have to come.
    looked_for: String,
    open_asks: usize,
}

impl State {
    pub(super) fn open_palette(&mut self) {
        let repo = self.repo_of_keys();
        self.palette = Palette {
            wants_saved: true,
            ..Palette::default()
        };
        self.send(repo, Some(Ask::Saved));
        self.prompt = Some(Prompt::palette());
    }

    /// Takes the saved queries, where the palette has asked for them.
    pub(super) fn takes_saved(&mut self, queries: &[SavedQuery]) -> bool {
        self.palette.saved = queries.to_vec();
        std::mem::take(&mut self.palette.wants_saved)
    }

    pub(super) fn take_found(&mut self, repo: usize, text: &str, issues: Vec<NamedIssue>) {
        let palette = &mut self.palette;
        palette.open_asks = palette.open_asks.saturating_sub(1);
        if text == palette.looked_for {
            palette
                .found
                .extend(issues.into_iter().map(|it| (repo, it)));
        }
    }

    /// Brings the choices in line with what is typed.
    pub(super) fn settle_palette(&mut self) {
        let Some(mut prompt) = self.prompt.take_if(|prompt| prompt.is_palette()) else {
            return;
        };
        let text = prompt.typed.text().trim().to_owned();
        if self.palette.open_asks == 0 && self.palette.looked_for != text {
            self.palette.found.clear();
            self.palette.looked_for.clone_from(&text);
            let repos: Vec<usize> = self.shown_repos().collect();
            for repo in repos.into_iter().filter(|_| !text.is_empty()) {
                self.palette.open_asks += 1;
                self.send(repo, Some(Ask::Find(text.clone())));
            }
        }
        prompt.choices = self.palette_choices(&text);
        prompt.at = prompt
            .at
            .or(Some(0))
            .filter(|at| *at < prompt.choices.len());
        let is_known = !prompt.choices.is_empty() || self.palette.open_asks > 0;
        match is_known {
            true if self.message == NOTHING => self.message.clear(),
            true => {}
            false => NOTHING.clone_into(&mut self.message),
        }
        self.prompt = Some(prompt);
    }

    /// Returns what is offered for a text: what runs a verb, then all that has its words.
    fn palette_choices(&self, text: &str) -> Vec<Choice> {
        let mut offered = Vec::new();
        for line in KEYS.iter().filter(|line| !is_movement(line.does)) {
            let keys: Vec<String> = line.keys.iter().map(|key| shown(key)).collect();
            let words = format!("{} ({})", line.words(), keys.join(", "));
            offered.push((words, Go::Key(line.does)));
        }
        for saved in &self.palette.saved {
            let words = format!("query @{}: {}", saved.name, saved.query);
            offered.push((words, Go::Query(saved.query.clone())));
        }
        for (n, repo) in self
            .repos
            .iter()
            .enumerate()
            .filter(|(_, it)| !it.is_double)
        {
            offered.push((format!("repository {}", repo.name), Go::Repo(n)));
        }
        for (repo, issue) in &self.palette.found {
            let words = self.named(*repo, &format!("{} {}", issue.id, issue.title));
            let (repo, uid) = (*repo, issue.uid);
            offered.push((words, Go::Issue(Selected { repo, uid })));
        }
        let typed = text.to_lowercase();
        offered.retain(|(words, _)| {
            let words = words.to_lowercase();
            typed.split_whitespace().all(|word| words.contains(word))
        });
        if self.begins_with_verb(text) {
            let line = own_line(text).to_owned();
            offered.insert(0, (format!("run: {line}"), Go::Run(line)));
        }
        let choices = offered.into_iter().map(|(words, go)| Choice {
            key: None,
            words,
            then: Then::Go(go),
        });
        choices.collect()
    }

    fn begins_with_verb(&self, text: &str) -> bool {
        let first = own_line(text).split_whitespace().next();
        first.is_some_and(|word| self.verbs.contains(&word))
    }

    pub(super) fn go_where(&mut self, go: Go) {
        match go {
            Go::Key(does) => self.act(does),
            Go::Run(line) => self.run_line(&line),
            Go::Query(query) => self.run_query(query),
            Go::Repo(repo) => {
                (self.here, self.is_all) = (Some(repo), true);
                self.change_repos();
            }
            Go::Issue(issue) => self.pin(issue),
        }
    }

    /// Runs the verb that a line begins with, and shows what it prints.
    fn run_line(&mut self, line: &str) {
        let Some(words) = split_words(line) else {
            return self.refuse(format!("a quote is not closed: {line}"));
        };
        let verb = words.first().map_or("", String::as_str);
        if OF_TERMINAL.contains(&verb) {
            return self.refuse(format!(
                "`{verb}` needs a terminal of its own: run it in a shell"
            ));
        }
        if words == ["stop"] {
            // It would let go of all that the user works on.
            return self.refuse("which one? `:stop ID`".to_owned());
        }
        self.open_output(ScreenName::Output, words);
    }
}

/// Returns whether a key only moves, or is of the line itself.
fn is_movement(does: Does) -> bool {
    matches!(
        does,
        Does::Down
            | Does::Up
            | Does::HalfDown
            | Does::HalfUp
            | Does::First
            | Does::Last
            | Does::NextPane
            | Does::PaneBefore
            | Does::ToPanel
            | Does::ToRows
            | Does::Back
            | Does::Palette
    )
}

/// Returns a line without what it begins with in a shell.
fn own_line(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("git beads ").unwrap_or(text).trim_start()
}

/// Splits a line into words as a shell does, of which only quotes and backslashes mean something here. None where a quote is not
/// closed.
fn split_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(letters.next()?),
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_by_a_shell() {
        for (line, words) in [
            ("list  -l api", vec!["list", "-l", "api"]),
            (
                r#"create "a b" 'c "d' e\ f "" "#,
                vec!["create", "a b", "c \"d", "e f", ""],
            ),
            (
                r#"note x-1 "say \"no\"" 'a'\''b'"#,
                vec!["note", "x-1", "say \"no\"", "a'b"],
            ),
            ("q $HOME;`x`|y", vec!["q", "$HOME;`x`|y"]),
        ] {
            assert_eq!(split_words(line).unwrap(), words, "{line}");
        }
        for line in ["create \"a", "create 'a", "create a\\"] {
            assert_eq!(split_words(line), None, "{line}");
        }
    }
}
