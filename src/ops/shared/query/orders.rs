//! The words for orders.

use crate::index::Order;
use crate::model::query::Grouping;
use crate::ops::Result;
use crate::ops::shared::words::vocabulary;

/// The words for an order.
pub(crate) const ORDERS: [&str; 8] = [
    "priority", "created", "oldest", "updated", "closed", "due", "id", "title",
];

/// Returns the order of a word, with `-asc` or `-desc` behind it or without.
/// Errors: A word that is no order.
pub(crate) fn order_of(text: &str) -> Result<Order> {
    let suffixes = [("-asc", true), ("-desc", false)];
    let found = suffixes.iter().find_map(|(suffix, rises)| {
        let word = text.strip_suffix(suffix)?;
        Some((word, *rises))
    });
    let (word, asked) = found.map_or((text, None), |(word, rises)| (word, Some(rises)));
    let (order, rises) = match word {
        "priority" => (Order::Priority, true),
        "created" => (Order::Created, false),
        "oldest" => (Order::Oldest, true),
        "updated" => (Order::Updated, false),
        "closed" => (Order::Closed, false),
        "due" => (Order::Due, true),
        "id" => (Order::Id, true),
        "title" => (Order::Title, true),
        _ => return Err(vocabulary("an order", text, &ORDERS)),
    };
    Ok(match asked {
        Some(asked) if asked != rises => order.reversed(),
        _ => order,
    })
}

/// Returns what a word puts together.
/// Errors: A word that puts nothing together.
pub(crate) fn group_of(text: &str) -> Result<Grouping> {
    Grouping::named(text).ok_or_else(|| vocabulary("a group", text, &Grouping::names()))
}
