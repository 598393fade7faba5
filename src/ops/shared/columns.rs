//! The columns of a board, the same for every face: one for each state, or for each value that a query puts issues together by.

use crate::index::{Condition, Fact, Order, Page, Sort, TimeColumn};
use crate::model::query::Grouping;
use crate::model::status::IN_PROGRESS;
use crate::model::{Status, time};
use crate::ops::shared::query::{Query, group, order_or, states};
use crate::ops::{Result, View};

/// Days that what is done stays on the board.
const DONE_DAYS: u64 = 7;
/// Groups that have a column, at most.
const MOST_GROUPS: usize = 100;
/// Columns that a status of another tracker may be called like.
const OWN: [&str; 5] = ["ready", IN_PROGRESS, "blocked", "review", "done"];

/// A column with the first of its issues.
pub(crate) struct BoardColumn {
    /// `ready`, `in_progress`, `blocked`, `review`, `done`, or a status; of groups the value, empty for what has none.
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) page: Page,
}

/// What is in a column.
struct Chosen {
    key: String,
    title: String,
    condition: Condition,
    /// Its order where the query asks for none.
    order: Order,
    /// True if it is there without an issue, too.
    is_usual: bool,
}

/// Returns the columns of a query, with as many issues of each as it asks for. `asked` is the condition of its tree.
pub(crate) fn columns(
    view: &View<'_>,
    query: &Query,
    asked: Condition,
) -> Result<Vec<BoardColumn>> {
    let with_closed = Query {
        all: true,
        ..query.clone()
    };
    let asked = states(&with_closed).and(asked);
    let chosen = match group(query)? {
        Some(by) => of_groups(view, &asked, by)?,
        None => of_states(view)?,
    };
    let mut columns = Vec::new();
    for column in chosen {
        let sort = Sort {
            group: None,
            ..order_or(query, column.order)?
        };
        let condition = asked.clone().and(column.condition);
        let page = view
            .index
            .page(&condition, sort, query.limit, query.offset)?;
        if page.total > 0 || column.is_usual {
            columns.push(BoardColumn {
                key: column.key,
                title: column.title,
                page,
            });
        }
    }
    Ok(columns)
}

/// Returns a column for each state. Every open issue is in one.
fn of_states(view: &View<'_>) -> Result<Vec<Chosen>> {
    let not = |condition: Condition| Condition::Not(Box::new(condition));
    let ready = Condition::from(Fact::Open).ready(view.now());
    let working = Condition::in_progress();
    let blocked = Condition::from(Fact::Blocked).and(not(working.clone()));
    let since = view.now().saturating_sub(DONE_DAYS * time::DAY);
    let to_review = Condition::from(Fact::ToReview(view.tracker.stale().1));
    let fresh = Condition::from(Fact::Time(TimeColumn::Closed, Some(since), None));
    let done = Condition::from(Fact::Done);
    let mut columns = vec![
        state("ready", ready),
        state(IN_PROGRESS, working),
        state("blocked", blocked),
    ];
    let mut words: Vec<_> = view
        .index
        .counts(view.now())?
        .statuses
        .into_keys()
        .collect();
    // What is open and can't be started yet is nearest to what is ready.
    words.sort_by_key(|word| word != Status::Open.as_str());
    for word in words {
        let status = Status::new(&word);
        // What is blocked is in its column whatever the reason.
        let has_own = matches!(status, Status::InProgress | Status::Blocked);
        if !status.is_done() && !has_own {
            // As a group, and not by the index of the status: most of what is open is in the columns above.
            let own = Fact::Group(Grouping::Status, Some(word.clone()));
            let own = Condition::from(Fact::Held(view.now())).and(own);
            let key = match OWN.contains(&word.as_str()) {
                true => format!("status:{word}"),
                false => word,
            };
            columns.push(state(&key, own));
        }
    }
    columns.push(state("review", done.clone().and(to_review.clone())));
    columns.push(state("done", done.and(fresh).and(not(to_review))));
    Ok(columns)
}

fn state(key: &str, condition: Condition) -> Chosen {
    let (title, order) = match key {
        "ready" => ("Ready".to_owned(), Order::Priority),
        IN_PROGRESS => ("In progress".to_owned(), Order::Priority),
        "blocked" => ("Blocked".to_owned(), Order::Priority),
        "open" => ("Open, not ready".to_owned(), Order::Priority),
        "review" => ("Review".to_owned(), Order::Closed),
        "done" => ("Done (7 days)".to_owned(), Order::Closed),
        other => (other.replace('_', " "), Order::Priority),
    };
    Chosen {
        title,
        condition,
        order,
        is_usual: OWN.contains(&key) && key != "review",
        key: key.to_owned(),
    }
}

/// Returns a column for each value that open issues are put together by.
fn of_groups(view: &View<'_>, asked: &Condition, by: Grouping) -> Result<Vec<Chosen>> {
    let open = asked.clone().and(Fact::Open);
    let mut values = view.index.groups(&open, by, MOST_GROUPS + 1)?;
    if values.len() > MOST_GROUPS {
        values.truncate(MOST_GROUPS);
        let text = format!("of more than {MOST_GROUPS} groups only the first have a column");
        view.tracker.warn(text);
    }
    let mut columns = Vec::new();
    for value in values {
        let key = match (&value, by) {
            (Some(value), Grouping::Priority) => format!("P{value}"),
            (Some(value), _) => value.clone(),
            (None, _) => String::new(),
        };
        columns.push(Chosen {
            title: match value {
                Some(_) => key.clone(),
                None => "None".to_owned(),
            },
            key,
            condition: Condition::from(Fact::Open).and(Fact::Group(by, value)),
            order: Order::Priority,
            is_usual: false,
        });
    }
    Ok(columns)
}
