//! Times: RFC 3339 in, RFC 3339 UTC in milliseconds out.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use super::stamp::Stamp;

/// A day in milliseconds.
pub(crate) const DAY: u64 = 86_400_000;

/// Formats milliseconds since 1970 as `2026-11-20T11:20:00.000Z`.
pub fn format(millis: u64) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    let time = i64::try_from(millis)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    PRINTER.timestamp_to_string(&time.unwrap_or(Timestamp::MAX))
}

/// Parses an RFC 3339 time as milliseconds since 1970 (rounded down; times before 1970 are 0).
pub fn parse(text: &str) -> Option<u64> {
    let time: Timestamp = text.trim().parse().ok()?;
    Some(u64::try_from(time.as_millisecond()).unwrap_or(0))
}

/// Parses an RFC 3339 time to the nanosecond, for ordering.
pub fn instant(text: &str) -> Option<i128> {
    text.trim()
        .parse::<Timestamp>()
        .ok()
        .map(Timestamp::as_nanosecond)
}

/// Parses `90m`, `12h`, `3d`, `2w` as milliseconds.
pub(crate) fn parse_span(text: &str) -> Option<u64> {
    let unit = match text.chars().last()? {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    // All units are one byte. As u32, times a week still fits into u64.
    text[..text.len() - 1]
        .parse::<u32>()
        .ok()
        .map(|n| u64::from(n) * unit)
}

/// Returns the time of a write in milliseconds: by the writer's clock, else by the stamp.
pub(crate) fn clock(when: Option<&str>, at: Stamp) -> u64 {
    when.and_then(parse).unwrap_or_else(|| at.millis())
}

/// Formats how long ago `then` was, in the largest unit: `3d`, `5h`, `2m`, `now`.
pub(crate) fn ago(then: u64, now: u64) -> String {
    let seconds = now.saturating_sub(then) / 1000;
    match seconds {
        0..60 => "now".to_owned(),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Formats how long ago a time in RFC 3339 was; empty for what is no time.
pub(crate) fn age(at: &str, now: u64) -> String {
    parse(at).map_or_else(String::new, |at| ago(at, now))
}

/// Returns the Monday on which the week of a time began, in milliseconds (UTC).
pub(crate) fn week(millis: u64) -> u64 {
    let day = millis / DAY;
    // Day 0 was a Thursday, three days after a Monday.
    day.saturating_sub((day + 3) % 7) * DAY
}

/// Returns the day of a time: `2026-11-20`.
pub fn day(millis: u64) -> String {
    format(millis).chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_formatted() {
        let now = parse("2026-11-20T11:20:00Z").unwrap();
        assert_eq!(parse("1960-01-01T00:00:00Z"), Some(0));
        assert_eq!(ago(now - 90_000, now), "1m");
        assert_eq!(day(week(now)), "2026-11-16");
        assert_eq!(
            day(week(parse("2026-11-16T00:00:00Z").unwrap())),
            "2026-11-16"
        );
        assert_eq!(week(1), 0);
    }
}
