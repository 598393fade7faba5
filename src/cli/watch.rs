//! What happens, a line for each operation as it appears.

use super::args::{FilterArgs, WatchArgs};
use super::follow;
use super::guess::help_of;
use super::query::query;
use super::render::{CYAN, DIM};
use super::ui::Ui;
use crate::ops::verbs::list::Query;
use crate::ops::verbs::watch;
use crate::ops::verbs::watch::Event;
use crate::ops::{Code, Error, Result, Tracker};

/// Prints each operation that appears on the ref, until a signal comes or nobody reads any more.
pub(super) fn watch(tracker: &Tracker, ui: &mut Ui, args: &WatchArgs) -> Result<u8> {
    let FilterArgs {
        sort,
        offset,
        exit_code,
        limit,
        since,
        ..
    } = &args.filter;
    if sort.is_some() || *offset > 0 || *exit_code {
        let message = "operations come in the order in which they appear: --sort, --offset and --exit-code mean nothing";
        return Err(Error::new(Code::Usage, message).hinted(help_of("watch")));
    }
    let query = Query {
        since: None,
        limit: 0,
        ..query(tracker, &args.filter, 0)
    };
    let mut left = limit.filter(|n| *n > 0).unwrap_or(usize::MAX);
    let mut watch = watch::Watch::begin(tracker, &query, since.as_deref())?;
    follow::follow(
        tracker,
        || (),
        |tracker| {
            for event in watch.news(tracker)?.into_iter().take(left) {
                left -= 1;
                ui.answer(event, ids, text);
            }
            Ok(ui.flush() && left > 0)
        },
    )?;
    Ok(0)
}

fn ids(event: &Event) -> Vec<String> {
    event.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, event: &Event) {
    let at = event.at.get(..19).unwrap_or(&event.at).replace('T', " ");
    let actor = ui.one_line(&event.actor);
    let subject = ui.one_line(&event.subject);
    let text = format!(
        "{} {} {subject}",
        ui.paint(DIM, &at),
        ui.paint(CYAN, &actor)
    );
    ui.row(&text);
}
