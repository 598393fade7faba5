//! Forms of times, by the names that `git log --date` has for them.

use std::str::FromStr;

use jiff::Zoned;
use jiff::fmt::strtime;

use super::date::Clock;

/// Seconds of a day.
const DAY: u64 = 86_400;
/// The forms that git has, and the same to strftime.
const FORMS: [(&str, &str, &str); 6] = [
    (
        "default",
        "%a %b %-d %H:%M:%S %Y %z",
        "%a %b %-d %H:%M:%S %Y",
    ),
    ("iso", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M:%S"),
    ("iso-strict", "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S%:z"),
    ("rfc", "%a, %-d %b %Y %H:%M:%S %z", "%a, %-d %b %Y %H:%M:%S"),
    ("short", "%Y-%m-%d", "%Y-%m-%d"),
    ("raw", "%s %z", "%s %z"),
];
/// Other names of forms.
const ALIASES: [(&str, &str); 5] = [
    ("iso8601", "iso"),
    ("iso8601-strict", "iso-strict"),
    ("rfc2822", "rfc"),
    ("local", "default-local"),
    ("unix", "format:%s"),
];

/// The form of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DateForm {
    /// How long ago it was.
    Relative,
    /// How long ago on the same day, else without what is the same as today.
    Human,
    /// By strftime.
    Format(String),
}

impl FromStr for DateForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(format) = text.strip_prefix("format:") {
            return match strtime::format(format, &Zoned::default()) {
                Ok(_) => Ok(Self::Format(format.to_owned())),
                Err(error) => Err(error.to_string()),
            };
        }
        // After the formats, which may be any text.
        let alias = ALIASES.iter().find(|(alias, _)| *alias == text);
        if let Some((_, meant)) = alias {
            return meant.parse();
        }
        let (name, is_local) = match text.strip_suffix("-local") {
            Some(name) => (name, true),
            None => (text, false),
        };
        match name {
            "relative" => return Ok(Self::Relative),
            "human" => return Ok(Self::Human),
            _ => {}
        }
        let (_, format, local) = FORMS.iter().find(|(known, ..)| *known == name).ok_or(
            "use relative, local, iso, iso-strict, rfc, short, raw, unix, human, default or format:STRFTIME",
        )?;
        let format = if is_local { local } else { format };
        Ok(Self::Format((*format).to_owned()))
    }
}

impl DateForm {
    /// Returns a time in this form, in the zone of a clock and as far from its present as it is.
    pub(crate) fn text(&self, millis: u64, clock: &Clock) -> String {
        let format = match self {
            Self::Format(format) => format,
            Self::Relative => return relative(millis, clock.now()),
            Self::Human => match human(&clock.local(millis), &clock.local(clock.now())) {
                Some(format) => format,
                None => return relative(millis, clock.now()),
            },
        };
        clock.formatted(millis, format)
    }
}

/// Returns the form of a time on another day: the weekday in this week, the day in this year.
fn human(at: &Zoned, now: &Zoned) -> Option<&'static str> {
    // By the days of the calendar: an hour ago can be yesterday.
    let days = now
        .date()
        .since(at.date())
        .map_or(0, |span| span.get_days());
    match days {
        0 => None,
        1..=5 => Some("%a %H:%M"),
        _ if at.year() == now.year() => Some("%a %b %-d %H:%M"),
        _ => Some("%b %-d %Y"),
    }
}

/// Returns how far a time is from the present, rounded as git rounds it.
fn relative(then: u64, now: u64) -> String {
    let seconds = then.abs_diff(now) / 1000;
    let (minutes, hours, days) = (
        (seconds + 30) / 60,
        (seconds + 1_800) / 3_600,
        (seconds + DAY / 2) / DAY,
    );
    let distance = match () {
        () if seconds < 90 => counted(seconds, "second"),
        () if minutes < 90 => counted(minutes, "minute"),
        () if hours < 36 => counted(hours, "hour"),
        () if days < 14 => counted(days, "day"),
        () if days < 70 => counted((days + 3) / 7, "week"),
        () if days < 365 => counted((days + 15) / 30, "month"),
        () if days < 1_825 => years(days),
        () => counted((days + 183) / 365, "year"),
    };
    match then > now {
        true => format!("in {distance}"),
        false => format!("{distance} ago"),
    }
}

fn years(days: u64) -> String {
    let months = (days * 12 * 2 + 365) / (365 * 2);
    match months % 12 {
        0 => counted(months / 12, "year"),
        rest => format!(
            "{}, {}",
            counted(months / 12, "year"),
            counted(rest, "month")
        ),
    }
}

fn counted(n: u64, unit: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_as_git_rounds_them() {
        let ago = |seconds: u64| relative(1_000_000_000_000 - seconds * 1000, 1_000_000_000_000);
        for (seconds, text) in [
            (0, "0 seconds ago"),
            (1, "1 second ago"),
            (89, "89 seconds ago"),
            (90, "2 minutes ago"),
            (3_600, "60 minutes ago"),
            (2 * 3_600, "2 hours ago"),
            (35 * 3_600, "35 hours ago"),
            (36 * 3_600, "2 days ago"),
            (13 * DAY, "13 days ago"),
            (14 * DAY, "2 weeks ago"),
            (70 * DAY, "2 months ago"),
            (365 * DAY, "1 year ago"),
            (400 * DAY, "1 year, 1 month ago"),
            (2_000 * DAY, "5 years ago"),
            (2_100 * DAY, "6 years ago"),
        ] {
            assert_eq!(ago(seconds), text, "{seconds}");
        }
        assert_eq!(
            relative(1_000_000_000_000 + 3 * DAY * 1000, 1_000_000_000_000),
            "in 3 days"
        );
    }

    #[test]
    fn forms_have_the_names_of_git() {
        let form = |text: &str| text.parse::<DateForm>();
        for name in [
            "relative",
            "local",
            "default",
            "iso",
            "iso8601",
            "iso-local",
            "iso-strict",
            "iso8601-strict",
            "rfc",
            "rfc2822",
            "short",
            "raw",
            "human",
            "unix",
            "relative-local",
            "format:%d.%m.",
            "format:",
        ] {
            assert!(form(name).is_ok(), "{name}");
        }
        assert!(form("iso8602").is_err() && form("format:%Q%").is_err() && form("").is_err());
    }
}
