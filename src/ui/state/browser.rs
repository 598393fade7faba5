//! What is on the screen, in the browser: `serve` beside this face.

use super::{ScreenName, State};
use crate::text::address::component;
use crate::ui::painted::plain;
use crate::ui::runs::{BESIDE, Ran, Run};

impl State {
    /// Shows the screen in the browser. The server lasts as long as this face.
    pub(super) fn show_in_browser(&mut self) {
        let at = self.address();
        // One that a kill of this face leaves behind ends by itself.
        let words = ["serve", "--open", "--idle", "10m", "--show", &at];
        self.beside = Some(Run {
            number: BESIDE,
            // Where the user stands: from there the repositories have the same names.
            repo: self.here.unwrap_or(0),
            words: words.map(str::to_owned).into(),
            columns: 0,
        });
        "opening in your browser".clone_into(&mut self.message);
    }

    /// Says whether it is there.
    pub(super) fn take_served(&mut self, ran: &Ran) {
        let line = ran.lines.first().map(|line| plain(line));
        let line = line.unwrap_or_default();
        self.message = match line.starts_with("http://") {
            true => "shown in your browser".to_owned(),
            false if line.is_empty() => "it can't be served here".to_owned(),
            false => line,
        };
    }

    /// Returns the address of what is on the screen, as the page has it behind `#`.
    fn address(&self) -> String {
        let is_of_all = self.is_all && matches!(self.screen, ScreenName::Inbox | ScreenName::List);
        let of = match self.screen {
            _ if is_of_all => None,
            // The words that were run are about this one.
            _ if self.screen.has_output() => Some(self.output.repo),
            _ => Some(self.repo_of_keys()),
        };
        let repo = of.map_or("", |repo| &self.repos[repo].name);
        let (screen, arg) = match self.screen {
            ScreenName::Inbox | ScreenName::Output => ("inbox", None),
            ScreenName::Board => ("board", None),
            ScreenName::List => ("list", None),
            ScreenName::Graph => ("graph", self.output.words.get(1)),
            ScreenName::Log => ("log", self.output.words.get(1)),
            ScreenName::Stats => ("stats", None),
        };
        let mut address = format!("/{}/{screen}", component(repo));
        if let Some(id) = arg {
            address = format!("{address}/{}", component(id));
        }
        let mut sign = '?';
        let takes_query = matches!(self.screen, ScreenName::Board | ScreenName::List);
        let open = self.target().filter(|_| self.panel.is_open);
        let issue = open.map(|target| match of {
            Some(repo) if repo == target.repo => target.id,
            _ => format!("{}\n{}", self.repos[target.repo].name, target.id),
        });
        for (name, value) in [
            ("q", Some(&self.list.query).filter(|_| takes_query)),
            ("issue", issue.as_ref()),
        ] {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                address = format!("{address}{sign}{name}={}", component(value));
                sign = '&';
            }
        }
        address
    }
}
