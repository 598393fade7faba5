//! Checks of a blob against the limits of format 1, the same for written, merged and fetched blobs.

use std::fmt::Arguments;

use serde_json::{Map, Value};

use super::{Blob, Element, Lost};
use crate::model::id;
use crate::model::limits::{
    HEAVIEST_BLOB, HEAVY, LARGEST_BLOB, MAX_LABEL, MAX_NAME, MAX_TEXT, MAX_TITLE, MAX_WORD,
    ValueError, check_chars,
};

/// Largest sum of all texts in one value, in bytes.
const LARGEST_VALUE: usize = 1 << 20;
/// Deepest nesting of arrays and objects in one value.
const DEEPEST_VALUE: usize = 100;
/// Longest name of a register or set, in bytes.
const LONGEST_NAME: usize = 200;
/// Longest member of a set, in bytes.
const LONGEST_MEMBER: usize = 1024;
/// Longest time, in bytes.
const LONGEST_TIME: usize = 100;

/// Checks all that a join can't make larger.
pub(super) fn check(blob: &Blob) -> Result<(), ValueError> {
    written(
        format_args!("the blob"),
        &blob.origin.by,
        blob.origin.when.as_deref(),
    )?;
    let is_memory = blob.registers.contains_key("kind");
    for (key, register) in &blob.registers {
        name(key)?;
        written(
            format_args!("{key}"),
            &register.by,
            register.when.as_deref(),
        )?;
        content(key, &register.value, is_memory)?;
    }
    for (set, members) in &blob.sets {
        name(set)?;
        for (key, element) in members {
            member(set, key, element)?;
        }
    }
    for (key, lost) in &blob.lost {
        loser(key, lost)?;
    }
    Ok(())
}

fn content(key: &str, value: &Value, is_memory: bool) -> Result<(), ValueError> {
    let (text, limit) = match key {
        "title" => (value, MAX_TITLE),
        "assignee" => (value, MAX_NAME),
        "type" => (value, MAX_WORD),
        "status" => (&value["s"], MAX_WORD),
        "id" => (value, id::MAX_BYTES),
        "key" if !is_memory => (value, MAX_LABEL),
        _ => (value, usize::MAX),
    };
    let what = format_args!("{key}");
    text.as_str()
        .map_or(Ok(()), |text| chars(what, text, limit))?;
    // Values from an import that have no register are bounded as a whole.
    let longest = if key == "import" {
        LARGEST_VALUE
    } else {
        MAX_TEXT
    };
    within(
        what,
        measure(what, value, longest, DEEPEST_VALUE)?,
        LARGEST_VALUE,
    )
}

fn member(set: &str, key: &str, element: &Element) -> Result<(), ValueError> {
    let what = format_args!("a member of {set}");
    if set == "labels" {
        chars(what, key, MAX_LABEL)?;
    }
    within(what, key.len(), LONGEST_MEMBER)?;
    object(what, &element.payload, DEEPEST_VALUE)
}

fn loser(key: &str, lost: &Lost) -> Result<(), ValueError> {
    name(key.rsplit_once('@').map_or(key, |(register, _)| register))?;
    match lost {
        // One level more than the value that it keeps.
        Lost::Record(record) => object(format_args!("a lost value"), record, DEEPEST_VALUE + 1),
        Lost::Settled(_) => Ok(()),
    }
}

fn object(what: Arguments<'_>, map: &Map<String, Value>, depth: usize) -> Result<(), ValueError> {
    let mut size = 0;
    for (key, value) in map {
        // The map itself is one level.
        size += key.len() + measure(what, value, LARGEST_VALUE, depth - 1)?;
    }
    within(what, size, LARGEST_VALUE)
}

fn written(what: Arguments<'_>, by: &str, when: Option<&str>) -> Result<(), ValueError> {
    chars(format_args!("the actor of {what}"), by, MAX_NAME)?;
    within(
        format_args!("the time of {what}"),
        when.unwrap_or_default().len(),
        LONGEST_TIME,
    )
}

fn name(name: &str) -> Result<(), ValueError> {
    within(
        format_args!("the name of a value"),
        name.len(),
        LONGEST_NAME,
    )
}

fn chars(what: Arguments<'_>, text: &str, limit: usize) -> Result<(), ValueError> {
    // A text has no more characters than bytes, so only a longer one has to be counted.
    if text.len() > limit {
        check_chars(&what.to_string(), text, limit)
    } else {
        Ok(())
    }
}

fn within(what: Arguments<'_>, size: usize, limit: usize) -> Result<(), ValueError> {
    if size <= limit {
        return Ok(());
    }
    Err(ValueError::TooLong {
        what: what.to_string(),
        size,
        unit: "bytes",
        limit,
    })
}

/// Returns the bytes of all texts and keys in a value, no text of which is longer than `longest`.
fn measure(
    what: Arguments<'_>,
    value: &Value,
    longest: usize,
    depth: usize,
) -> Result<usize, ValueError> {
    let deeper = || {
        depth
            .checked_sub(1)
            .ok_or_else(|| ValueError::TooDeep(what.to_string(), DEEPEST_VALUE))
    };
    match value {
        Value::String(text) => within(what, text.len(), longest).map(|()| text.len()),
        Value::Array(items) => {
            let depth = deeper()?;
            items
                .iter()
                .map(|item| measure(what, item, longest, depth))
                .sum()
        }
        Value::Object(map) => {
            let depth = deeper()?;
            map.iter()
                .map(|(key, value)| Ok(key.len() + measure(what, value, longest, depth)?))
                .sum()
        }
        _ => Ok(0),
    }
}

/// Checks the size of a whole blob, as it is to be written.
pub(super) fn check_size(value: &Value, bytes: usize) -> Result<(), ValueError> {
    let full = |size, unit, limit| Err(ValueError::Full { size, unit, limit });
    if bytes > LARGEST_BLOB {
        return full(bytes, "bytes", LARGEST_BLOB);
    }
    // The sum that `canonical_json` makes while it reads, so what is written can be read.
    let weight = weigh(value) + HEAVY * value.as_object().map_or(0, Map::len);
    if weight > HEAVIEST_BLOB {
        full(
            weight,
            "values (an array or object counts for 17)",
            HEAVIEST_BLOB,
        )
    } else {
        Ok(())
    }
}

fn weigh(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + HEAVY + items.iter().map(weigh).sum::<usize>(),
        Value::Object(map) => 1 + HEAVY + map.values().map(weigh).sum::<usize>(),
        _ => 1,
    }
}
