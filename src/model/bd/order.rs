//! The order of imported comments, where an export of the registers would have another.
//!
//! Each comment is a blob of its own with all its text. An issue keeps only a list of places, which
//! is small: it takes any number of comments, and a text that is redacted in memory is stored
//! nowhere else.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::digest;
use crate::model::canonical_json;
use crate::model::stamp::Uid;

/// Returns the order of `original` in terms of `rendered`, where both hold the same entries, each
/// once. `uids` are those of the rendered entries.
pub(super) fn order_of(original: &Value, rendered: &Value, uids: &[Uid]) -> Option<Value> {
    let (original, rendered) = (original.as_array()?, rendered.as_array()?);
    if original.len() != rendered.len() {
        return None;
    }
    let texts = rendered.iter().map(canonical_json::canonical);
    let mut places: HashMap<String, usize> = texts.enumerate().map(|(n, text)| (text, n)).collect();
    let order: Option<Vec<String>> = original
        .iter()
        .map(|entry| {
            Some(
                places
                    // Taken out, so that each place is used once.
                    .remove(&canonical_json::canonical(entry))?
                    .to_string(),
            )
        })
        .collect();
    Some(json!({"of": state(uids), "order": order?.join(" ")}))
}

/// Puts `rendered` into a kept order, while its entries are those that the order was made of.
pub(super) fn restore(rendered: &mut Vec<Value>, kept: &Value, uids: &[Uid]) {
    let text = kept["order"].as_str().unwrap_or_default();
    let order: Vec<usize> = text.split(' ').filter_map(|n| n.parse().ok()).collect();
    let mut seen = vec![false; rendered.len()];
    for place in &order {
        // A merge can bring an order from anybody: unless it names each place once, nothing is moved.
        match seen.get_mut(*place) {
            Some(seen) if !*seen => *seen = true,
            _ => return,
        }
    }
    if order.len() != rendered.len() || kept["of"] != *state(uids) {
        return;
    }
    let mut from = std::mem::take(rendered);
    rendered.extend(order.into_iter().map(|place| from[place].take()));
}

/// Returns a digest that identifies a list of comments.
fn state(uids: &[Uid]) -> String {
    let uids: Vec<String> = uids.iter().map(Uid::to_string).collect();
    let uids: Vec<&str> = uids.iter().map(String::as_str).collect();
    format!("{:020x}", digest(&uids))
}
