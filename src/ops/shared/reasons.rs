//! Why agents made their calls, where that has the words of a search: the reasons of changes, which commits keep, and
//! those of calls that wrote nothing, which only this clone knows.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Context, Uid, time};
use crate::ops::answer::shortened;
use crate::ops::{Result, Tracker, View};
use crate::store::contexts;

/// Reasons in an answer.
const MOST: usize = 5;
/// Characters of a text.
const LONGEST: usize = 300;

/// A reason that has the words of a search.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FoundReason {
    /// The time.
    pub at: String,
    /// The parts that match: `goal`, `memory`, `constraints`, `session`.
    #[serde(flatten)]
    pub matched: Context,
    /// The issues that were changed for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// The calls that were made for it and changed nothing, where they were made here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// Keeps the reason of a call that wrote nothing, where there is one and a store to keep it in.
pub(crate) fn keep(tracker: &Tracker, reason: &Context, call: &str) {
    let store = tracker.store();
    if *reason != Context::default() && store.tip().is_ok_and(|tip| tip.is_some()) {
        contexts::keep(store, reason, call, tracker.now());
    }
}

/// Returns the reasons with all words of a text, newest first.
pub(crate) fn find(view: &View<'_>, text: &str) -> Result<Vec<FoundReason>> {
    let words = words(text);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for operation in view.index.full_text().reasons(text, MOST)? {
        let Some(matched) = operation.context.and_then(|it| matched(&it, &words)) else {
            continue;
        };
        let commit = view
            .snapshot()
            .store()
            .ancestry()
            .commit(operation.commit)?;
        let listed = commit.trailer("Issues").unwrap_or_default();
        let uids = listed.split_whitespace().flat_map(str::parse::<Uid>);
        let ids = uids.filter_map(|uid| view.id(uid).ok()).take(MOST);
        found.push((operation.at, matched, ids.collect(), Vec::new()));
    }
    for kept in contexts::all(view.snapshot().store()) {
        if let Some(matched) = matched(&kept.context, &words) {
            found.push((kept.at, matched, Vec::new(), kept.calls));
        }
    }
    found.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    found.truncate(MOST);
    let reasons = found
        .into_iter()
        .map(|(at, matched, issues, calls)| FoundReason {
            at: time::format(at),
            matched,
            issues,
            calls,
        });
    Ok(reasons.collect())
}

/// Returns the parts of a context that have a word, if all of it together has every word.
fn matched(context: &Context, words: &[String]) -> Option<Context> {
    let whole = self::words(&context.text());
    let has = |all: &[String], word: &String| all.iter().any(|it| it.starts_with(word.as_str()));
    if !words.iter().all(|word| has(&whole, word)) {
        return None;
    }
    let part = |text: &str| {
        let own = self::words(text);
        let shown = words.iter().any(|word| has(&own, word));
        let short = shortened(text, LONGEST).unwrap_or_else(|| text.to_owned());
        if shown { short } else { String::new() }
    };
    Some(Context {
        session: part(&context.session),
        memory: part(&context.memory),
        goal: part(&context.goal),
        constraints: part(&context.constraints),
    })
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
