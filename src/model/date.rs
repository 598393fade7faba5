//! Dates as people write them, in their own time zone: `friday`, `next week`, `2026-11`, `3d`, `12:00`.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

use super::time;

/// The present, and the zone in which days begin.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    now: u64,
    zone: TimeZone,
}

/// What a date names, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    /// Its first moment.
    pub(crate) start: u64,
    /// The first moment behind it; `start` if it is an instant.
    pub(crate) end: u64,
}

/// Where a date is that does not say it itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tense {
    Past,
    Future,
}

impl Clock {
    /// Returns a clock that shows a time in milliseconds.
    pub(crate) fn new(now: u64, zone: TimeZone) -> Self {
        Self { now, zone }
    }

    /// Returns the present in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Returns a time of this zone.
    pub(super) fn local(&self, millis: u64) -> Zoned {
        let millis = i64::try_from(millis).ok();
        let at = millis.and_then(|millis| Timestamp::from_millisecond(millis).ok());
        at.unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone())
    }

    /// Returns a time by a format of strftime; what has no such form is RFC 3339.
    pub(crate) fn formatted(&self, millis: u64, format: &str) -> String {
        strtime::format(format, &self.local(millis)).unwrap_or_else(|_| time::format(millis))
    }

    /// Returns true for the first and the last second of a day, by which a whole day is kept.
    pub(crate) fn is_edge_of_day(&self, millis: u64) -> bool {
        let time = self.local(millis).time();
        [(0, 0, 0), (23, 59, 59)].contains(&(time.hour(), time.minute(), time.second()))
    }

    /// Reads a date of what has happened: `3d` is three days ago, `friday` the last one before today.
    pub(crate) fn past(&self, text: &str) -> Option<Period> {
        self.read(text, Tense::Past)
    }

    /// Reads a date of what is to happen: `3d` is in three days, `friday` the first one after today.
    pub(crate) fn future(&self, text: &str) -> Option<Period> {
        self.read(text, Tense::Future)
    }

    /// Reads a date that something is due on, in milliseconds. A day ends with its last moment, also one that is some days away.
    pub(crate) fn deadline(&self, text: &str) -> Option<u64> {
        let period = self.future(text)?;
        let lower = text.trim().to_ascii_lowercase();
        let is_days = |period: &Period| period.start >= self.now + time::DAY;
        let days = self.distance(&lower, Tense::Future).filter(is_days);
        let day = days.and_then(|days| {
            let date = self.local(days.start).date();
            self.between(date, date.tomorrow().ok()?)
        });
        Some(day.unwrap_or(period).last())
    }

    fn read(&self, text: &str, tense: Tense) -> Option<Period> {
        let exact = exact(text.trim()).map(Period::at);
        let text = text.trim().to_ascii_lowercase();
        if text == "now" {
            return Some(Period::at(self.now));
        }
        let found = exact.or_else(|| self.distance(&text, tense));
        found.or_else(|| self.calendar(&text, tense))
    }

    /// Reads a number of units from the present on: `3d`, `2 weeks`, `in 3 days`, `3 days ago`, `2.weeks.ago`.
    fn distance(&self, text: &str, tense: Tense) -> Option<Period> {
        let ago = text.strip_suffix("ago");
        let before = ago.and_then(|text| text.strip_suffix([' ', '.']));
        let after = text.strip_prefix("in ");
        let (bare, tense) = match (before, after) {
            (Some(bare), None) => (bare, Tense::Past),
            (None, Some(bare)) => (bare, Tense::Future),
            _ => (text, tense),
        };
        if let Some(span) = time::parse_span(bare) {
            let at = match tense {
                Tense::Past => self.now.saturating_sub(span),
                Tense::Future => self.now.checked_add(span)?,
            };
            return Some(Period::at(at));
        }
        // By the calendar, so that a month later is the same day.
        let span = units(bare)?;
        let now = self.local(self.now);
        let at = match tense {
            Tense::Past => now.checked_sub(span),
            Tense::Future => now.checked_add(span),
        };
        Some(Period::at(millis(&at.ok()?)))
    }

    /// Reads days, with or without a time, and weeks and months.
    fn calendar(&self, text: &str, tense: Tense) -> Option<Period> {
        let today = self.local(self.now).date();
        if let Some(date) = day(text, today, tense) {
            return self.between(date, date.tomorrow().ok()?);
        }
        if let Some((first, next)) = longer(text, today) {
            return self.between(first, next);
        }
        let (date, time) = match text.rsplit_once([' ', 't']) {
            Some((date, time)) => (Some(day(date.trim(), today, tense)?), time),
            None => (None, text),
        };
        let time = time_of_day(time)?;
        let at = |date: Date| Some(millis(&self.zoned(date.to_datetime(time))?));
        if let Some(date) = date {
            return at(date).map(Period::at);
        }
        // The nearest one on this side.
        let near = at(today)?;
        let at = match tense {
            Tense::Past if near > self.now => at(today.yesterday().ok()?)?,
            Tense::Future if near < self.now => at(today.tomorrow().ok()?)?,
            _ => near,
        };
        Some(Period::at(at))
    }

    fn between(&self, first: Date, next: Date) -> Option<Period> {
        let start = |date: Date| Some(millis(&self.zoned(date.to_datetime(Time::midnight()))?));
        Some(Period {
            start: start(first)?,
            end: start(next)?,
        })
    }

    fn zoned(&self, at: DateTime) -> Option<Zoned> {
        // Where clocks are put forward at midnight, the day begins an hour later.
        at.to_zoned(self.zone.clone()).ok()
    }
}

impl Period {
    fn at(millis: u64) -> Self {
        Self {
            start: millis,
            end: millis,
        }
    }

    /// Returns its last second, or the instant that it is.
    pub(crate) fn last(self) -> u64 {
        match self.end > self.start {
            true => self.end - 1000,
            false => self.start,
        }
    }
}

/// Returns the first and last moments of a date as one of the past and as one of the future, in a zone with summer time:
/// what any text may be tried with.
pub fn both_sides(text: &str, now: u64) -> [Option<(u64, u64)>; 2] {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap_or(TimeZone::UTC);
    let clock = Clock::new(now, zone);
    [clock.past(text), clock.future(text)].map(|found| found.map(|it| (it.start, it.last())))
}

/// Returns true for a distance from the present, such as `3d` and `2 weeks`.
pub(crate) fn is_distance(text: &str) -> bool {
    let utc = Clock::new(time::DAY * 36_500, TimeZone::UTC);
    let text = text.trim().to_ascii_lowercase();
    utc.distance(&text, Tense::Future).is_some()
}

fn millis(at: &Zoned) -> u64 {
    u64::try_from(at.timestamp().as_millisecond()).unwrap_or(0)
}

/// Reads a time that says its zone: RFC 3339, or as git prints it, `2026-11-20 12:20:00 +0100`.
fn exact(text: &str) -> Option<u64> {
    time::parse(text).or_else(|| {
        let at = ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M %z"]
            .into_iter()
            .find_map(|form| strtime::parse(form, text).ok()?.to_timestamp().ok())?;
        Some(u64::try_from(at.as_millisecond()).unwrap_or(0))
    })
}

/// Reads a number and a unit: `3 days`, `2.weeks`, `1 month`; none for more than the calendar has.
fn units(text: &str) -> Option<Span> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let n: i64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim_start_matches([' ', '.']);
    let span = Span::new();
    let span = match unit.strip_suffix('s').unwrap_or(unit) {
        "minute" | "min" => span.try_minutes(n),
        "hour" => span.try_hours(n),
        "day" => span.try_days(n),
        "week" => span.try_weeks(n),
        "month" => span.try_months(n),
        "year" => span.try_years(n),
        _ => return None,
    };
    span.ok()
}

/// Reads a day: `today`, `friday`, `last friday`, `2026-11-20`.
fn day(text: &str, today: Date, tense: Tense) -> Option<Date> {
    let (name, tense) = match text.split_once(' ') {
        Some(("last", name)) => (name, Tense::Past),
        Some(("next", name)) => (name, Tense::Future),
        Some(_) => return None,
        None => (text, tense),
    };
    let named = weekday(name).and_then(|weekday| {
        let nth = if tense == Tense::Past { -1 } else { 1 };
        today.nth_weekday(nth, weekday).ok()
    });
    if name != text {
        return named;
    }
    match text {
        "today" => Some(today),
        "tomorrow" => today.tomorrow().ok(),
        "yesterday" => today.yesterday().ok(),
        // `2026` could be the beginning of a commit, or a number.
        _ if [8, 10].contains(&text.len()) => named.or_else(|| text.parse().ok()),
        _ => named,
    }
}

fn weekday(name: &str) -> Option<Weekday> {
    let names = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let is_meant =
        |(full, _): &&(&str, _)| *full == name || (name.len() == 3 && full.starts_with(name));
    names.iter().find(is_meant).map(|(_, weekday)| *weekday)
}

/// Reads a week or month; returns its first day and the one behind it.
fn longer(text: &str, today: Date) -> Option<(Date, Date)> {
    let (which, unit) = text.split_once(' ').unwrap_or(("", text));
    let steps = match which {
        "last" => -1,
        "this" => 0,
        "next" => 1,
        _ => return month(text),
    };
    let unit: (Date, Span) = match unit {
        "week" => {
            let monday = i32::from(today.weekday().to_monday_zero_offset());
            (today.checked_sub(monday.days()).ok()?, 1.weeks())
        }
        "month" => (today.first_of_month(), 1.months()),
        "year" => (today.first_of_year(), 1.years()),
        _ => return None,
    };
    let first = unit.0.checked_add(unit.1 * steps).ok()?;
    Some((first, first.checked_add(unit.1).ok()?))
}

/// Reads a month: `2026-11`.
fn month(text: &str) -> Option<(Date, Date)> {
    let first: Date = (text.len() == 7).then(|| format!("{text}-01").parse().ok())??;
    Some((first, first.checked_add(1.months()).ok()?))
}

/// Reads a time of day: `12:00`, `9:30:15`.
fn time_of_day(text: &str) -> Option<Time> {
    let forms = ["%H:%M", "%H:%M:%S"];
    forms
        .into_iter()
        .find_map(|form| Time::strptime(form, text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday, an hour before the clocks of New York were put back.
    const NOW: &str = "2026-11-20T11:20:00Z";

    fn clock(now: &str, zone: &str) -> Clock {
        Clock::new(time::parse(now).unwrap(), TimeZone::posix(zone).unwrap())
    }

    fn shown(period: Option<Period>) -> String {
        let at = |millis: u64| time::format(millis).replace(":00.000Z", "Z");
        match period {
            None => "none".to_owned(),
            Some(period) if period.start == period.end => at(period.start),
            Some(period) => format!("{} {}", at(period.start), at(period.end)),
        }
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        let utc = clock(NOW, "UTC0");
        for (text, past, future) in [
            ("now", "2026-11-20T11:20Z", "2026-11-20T11:20Z"),
            ("3d", "2026-11-17T11:20Z", "2026-11-23T11:20Z"),
            ("2w", "2026-11-06T11:20Z", "2026-12-04T11:20Z"),
            ("3 days", "2026-11-17T11:20Z", "2026-11-23T11:20Z"),
            ("1 month", "2026-10-20T11:20Z", "2026-12-20T11:20Z"),
            ("3 days ago", "2026-11-17T11:20Z", "2026-11-17T11:20Z"),
            ("2.weeks.ago", "2026-11-06T11:20Z", "2026-11-06T11:20Z"),
            ("3d ago", "2026-11-17T11:20Z", "2026-11-17T11:20Z"),
            ("in 2 hours", "2026-11-20T13:20Z", "2026-11-20T13:20Z"),
            ("12:00", "2026-11-19T12:00Z", "2026-11-20T12:00Z"),
            ("9:30", "2026-11-20T09:30Z", "2026-11-21T09:30Z"),
            ("friday 17:00", "2026-11-13T17:00Z", "2026-11-27T17:00Z"),
            ("tomorrow 9:00", "2026-11-21T09:00Z", "2026-11-21T09:00Z"),
            ("2026-11-21T12:20", "2026-11-21T12:20Z", "2026-11-21T12:20Z"),
            (
                "2026-11-21 12:20:00 +0100",
                "2026-11-21T11:20Z",
                "2026-11-21T11:20Z",
            ),
            (
                "2026-11-21 12:20 +0100",
                "2026-11-21T11:20Z",
                "2026-11-21T11:20Z",
            ),
            (
                "2026-11-21T01:00:00+02:00",
                "2026-11-20T23:00Z",
                "2026-11-20T23:00Z",
            ),
        ] {
            assert_eq!(shown(utc.past(text)), past, "{text}");
            assert_eq!(shown(utc.future(text)), future, "{text}");
        }
    }

    #[test]
    fn days_weeks_and_months_have_a_beginning_and_an_end() {
        let utc = clock(NOW, "UTC0");
        for (text, first, behind) in [
            ("today", "2026-11-20", "2026-11-21"),
            ("Tomorrow", "2026-11-21", "2026-11-22"),
            ("yesterday", "2026-11-19", "2026-11-20"),
            ("friday", "2026-11-27", "2026-11-28"),
            ("next mon", "2026-11-23", "2026-11-24"),
            ("last friday", "2026-11-13", "2026-11-14"),
            ("2026-11-21", "2026-11-21", "2026-11-22"),
            ("2026-12", "2026-12-01", "2027-01-01"),
            ("this week", "2026-11-16", "2026-11-23"),
            ("next week", "2026-11-23", "2026-11-30"),
            ("last month", "2026-10-01", "2026-11-01"),
            ("next year", "2027-01-01", "2028-01-01"),
        ] {
            let days = format!("{first}T00:00Z {behind}T00:00Z");
            assert_eq!(shown(utc.future(text)), days, "{text}");
        }
        assert_eq!(
            shown(utc.past("friday")),
            "2026-11-13T00:00Z 2026-11-14T00:00Z"
        );
        assert_eq!(
            time::format(utc.future("today").unwrap().last()),
            "2026-11-20T23:59:59.000Z"
        );
    }

    #[test]
    fn days_begin_in_the_zone_of_the_reader() {
        let berlin = clock("2026-03-28T23:30:00Z", "CET-1CEST,M3.5.0,M10.5.0/3");
        // It is the 29th there, a day of 23 hours.
        assert_eq!(
            shown(berlin.past("today")),
            "2026-03-28T23:00Z 2026-03-29T22:00Z"
        );
        assert_eq!(
            shown(berlin.future("2026-03-30 08:00")),
            "2026-03-30T06:00Z"
        );
        assert_eq!(shown(berlin.future("1 day")), "2026-03-29T22:30Z");
    }

    #[test]
    fn what_is_no_date_is_none() {
        let utc = clock(NOW, "UTC0");
        for text in [
            "",
            "soon",
            "-3d",
            "next",
            "next soon",
            "2026",
            "deadbeef",
            "2026-13",
            "25:00",
            "5",
            "99999999999 days",
            "99999999 days",
            "99999 years",
            "2000000 weeks",
            "4294967296d",
            "in 3 days ago",
            "last 2026-11-20",
            "t12:00",
        ] {
            assert_eq!(utc.past(text), None, "{text}");
            assert_eq!(utc.future(text), None, "{text}");
        }
        assert!(is_distance("7d") && is_distance("2 weeks") && !is_distance("friday"));
    }
}
