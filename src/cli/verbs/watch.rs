//! `watch`: a line for each operation as it appears.

use clap::Args;

use crate::cli::follow::{FollowInput, follow};
use crate::cli::options::filter::FilterOptions;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::news::sentence;
use crate::ops::verbs::watch::{Event, Watch};
use crate::ops::{Code, Command, Error, Result};
use crate::text::line::line;
use crate::text::style::{CYAN, DIM};

/// It begins with now, or with `--since`; `-n N` ends it after N operations.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for WatchArgs {
    const NAME: &'static str = "watch";
    const ABOUT: &'static str = "Print operations as they happen, one line each";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"The last two operations, and then no more; for a program (without -n it goes on):

$ git beads watch --since @~2 -n 2
$ git beads watch --since @~1 -n 1 --json
";
    type Answer = Event;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.env().stay();
        let (tracker, ui) = cli.open()?;
        let filter = &self.filter;
        if filter.sort.is_some() || filter.reverse || filter.offset > 0 || filter.exit_code {
            let message = "operations come in the order in which they appear: --sort, --offset and --exit-code mean nothing";
            let error = Error::new(Code::Usage, message);
            return Err(error.hinted(Command::of("help").word("watch")));
        }
        // Here `--since` says where the events begin, and `--stale` counts back from each of them.
        let mut watched = filter.clone();
        let (since, stale) = (watched.since.take(), watched.stale.take());
        watched.limit = None;
        let query = watched.query(tracker, 0)?;
        let mut left = filter.limit.filter(|n| *n > 0).unwrap_or(usize::MAX);
        let mut watch = Watch::begin(tracker, &query, stale.as_deref(), since.as_deref())?;
        let next = |tracker: &_| {
            for event in watch.news(tracker)?.into_iter().take(left) {
                left -= 1;
                ui.answer(event, ids, text);
            }
            // Sent at once: what is watched must not wait in a buffer.
            Ok(ui.flush() && left > 0)
        };
        follow(tracker, &FollowInput::NOTHING, next)?;
        Ok(Exit::OK)
    }
}

fn ids(event: &Event) -> Vec<String> {
    event.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, event: &Event) {
    // No one made a merge, and what it brought has lines of its own.
    if event.actor.is_empty() {
        return;
    }
    let at = ui.dates.second(&event.at);
    let actor = ui.one_line(&event.party().to_string());
    let subject = ui.one_line(&sentence(&event.subject, &event.said));
    let line = line![ui.paint(DIM, at), " ", ui.paint(CYAN, actor), " ", subject,];
    ui.row(&line);
}
