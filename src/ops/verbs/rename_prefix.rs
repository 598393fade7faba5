//! `rename-prefix`: another prefix for new ids, for everybody. Ids that are there stay.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{id, prefix};
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::{Command, Error, Result, Tracker, Tx};

/// The prefix before and after.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PrefixRenamed {
    /// The prefix of new ids.
    pub prefix: String,
    /// The prefix before.
    pub was: String,
}

impl Answer for PrefixRenamed {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

/// Chooses the prefix of new ids.
pub(crate) fn rename_prefix(tracker: &Tracker, new: &str) -> Result<PrefixRenamed> {
    let new = new.trim();
    id::check_prefix(new).map_err(|error| {
        Error::from(error).hinted(Command::of("rename-prefix").word(id::prefix_like(new)))
    })?;
    let renamed = tracker.write(|tx| choose(tx, new), |renamed, _| Ok(renamed))?;
    // The choice is everybody's; a clone that has its own setting would not notice it.
    let own = tracker.store().config("beads.prefix");
    if let Some(own) = own.filter(|own| own != new) {
        let change = Command::line("git config beads.prefix").word(new);
        tracker.warn(format!(
            "in this clone beads.prefix is {own} and counts more: {change}"
        ));
    }
    Ok(renamed)
}

fn choose(tx: &mut Tx<'_>, new: &str) -> Result<PrefixRenamed> {
    let mut meta = tx.meta()?;
    let was = prefix::of(&meta).to_owned();
    // A default that is chosen is a choice from then on.
    if was != new || !prefix::is_chosen(&meta) {
        let writer = tx.meta_writer(&meta);
        prefix::choose(&mut meta, &writer, new);
        tx.put_meta(meta);
    }
    tx.subject(format!("rename-prefix {was} to {new}"));
    Ok(PrefixRenamed {
        prefix: new.to_owned(),
        was,
    })
}
