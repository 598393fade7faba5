//! Times of a query. A relative one is an instant: in the past for what has happened, in the future for what is due.

use crate::index::{Fact, TimeColumn};
use crate::model::date::{Clock, is_distance};
use crate::model::query::{Compared, QueryValue, QueryWord, Term};
use crate::ops::shared::words::bad_date;
use crate::ops::{Error, Result};

/// The first moment that counts, and the first behind it that does not.
type Bounds = (Option<u64>, Option<u64>);

/// Returns the fact of a value of a time.
pub(super) fn fact(
    clock: &Clock,
    column: TimeColumn,
    term: &Term,
    value: &QueryValue,
) -> Result<Fact> {
    let (from, to) = match (value, term.compared) {
        (QueryValue::One(word), compared) => compare(clock, column, &word.text, compared)?,
        (QueryValue::Between(from, to), Compared::Equal) => between(clock, column, from, to)?,
        (QueryValue::Between(..), _) => {
            return Err(Error::invalid("a range is not compared by < or >"));
        }
    };
    Ok(Fact::Time(column, from, to))
}

fn compare(clock: &Clock, column: TimeColumn, text: &str, compared: Compared) -> Result<Bounds> {
    let (start, end) = span(clock, column, text)?;
    // An instant is a millisecond long.
    let end = end.max(start + 1);
    let is_span = is_distance(text);
    Ok(match compared {
        // A span alone is how far away it is at most.
        Compared::Equal if is_span && column == TimeColumn::Due => (None, Some(end)),
        Compared::Equal if is_span => (Some(start), None),
        Compared::Equal => (Some(start), Some(end)),
        Compared::Less => (None, Some(start)),
        Compared::AtMost => (None, Some(end)),
        Compared::More => (Some(end), None),
        Compared::AtLeast => (Some(start), None),
    })
}

fn between(clock: &Clock, column: TimeColumn, from: &QueryWord, to: &QueryWord) -> Result<Bounds> {
    let bound = |word: &QueryWord| match word.text.as_str() {
        "" => Ok(None),
        text => span(clock, column, text).map(Some),
    };
    Ok((
        bound(from)?.map(|(start, _)| start),
        bound(to)?.map(|(start, end)| end.max(start + 1)),
    ))
}

/// Returns the first moment of the time that a text names and the one after its last; the same for an instant.
fn span(clock: &Clock, column: TimeColumn, text: &str) -> Result<(u64, u64)> {
    let period = match column {
        TimeColumn::Due => clock.future(text),
        _ => clock.past(text),
    };
    let period = period.ok_or_else(|| bad_date(text))?;
    Ok((period.start, period.end))
}
