//! Lengths of time.

use std::time::Duration;

use crate::model::time;

/// Parses a length of time: `30s`, `10m`, `2h`.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    // Dates have no seconds, so their spans end with minutes.
    let seconds = text.strip_suffix('s').map(|n| n.parse::<u32>().ok());
    let duration = match seconds {
        Some(seconds) => seconds.map(|n| Duration::from_secs(n.into())),
        None => time::parse_span(text).map(Duration::from_millis),
    };
    duration.ok_or_else(|| "a length of time is as in 30s, 10m or 2h".to_owned())
}
