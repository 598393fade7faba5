//! The time zone of the user, as the C library finds it for git.
//!
//! The library for times would look through the whole database for the name of the system's zone, which takes longer than most
//! commands: here one file is read.

use std::path::Path;

use jiff::tz::TimeZone;

use super::Env;
use crate::platform;

/// The files of all zones, where `TZDIR` names no other folder.
const FOLDER: &str = "/usr/share/zoneinfo";

/// Returns the time zone of the user: that of `TZ`, else of the system, else UTC.
pub(crate) fn time_zone(env: &Env) -> TimeZone {
    let zone = match env.var_os("TZ") {
        Some(text) => named(env, &text.to_string_lossy()),
        None => platform::system_zone(),
    };
    zone.unwrap_or(TimeZone::UTC)
}

/// Reads a value of `TZ`: the name of a file, or a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn named(env: &Env, text: &str) -> Option<TimeZone> {
    let name = text.strip_prefix(':').unwrap_or(text);
    let folder = env.var_os("TZDIR").unwrap_or_else(|| FOLDER.into());
    // The file first: `EST5EDT` is both, and only the file knows when summer begins.
    read(&Path::new(&folder).join(name)).or_else(|| TimeZone::posix(name).ok())
}

fn read(path: &Path) -> Option<TimeZone> {
    let data = std::fs::read(path).ok()?;
    TimeZone::tzif("Local", &data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_and_what_is_none_are_told_apart() {
        let env = Env::of_process();
        let at = jiff::Timestamp::from_second(1_795_173_600).unwrap();
        let hours = |text| Some(named(&env, text)?.to_offset(at).seconds() / 3600);
        assert_eq!(hours("EST5"), Some(-5));
        assert_eq!(hours("CET-1CEST,M3.5.0,M10.5.0/3"), Some(1));
        for none in ["", ":", "No/Such", "../../etc/passwd", "/etc/passwd", "/"] {
            assert_eq!(hours(none), None, "{none}");
        }
    }
}
