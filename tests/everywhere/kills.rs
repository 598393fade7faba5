//! Writers that are killed at any step that their log shows.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::Place;

/// More steps than a writer has.
const MOST: usize = 200;
/// Each step so far from the one before is tried.
const APART: usize = 3;

/// Kills a writer after some lines of its log; false where it has ended before.
fn is_killed_after(place: &Place, lines: usize) -> bool {
    let mut command = place.program("repo", &["create", "-q", "killed"]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.env("GIT_BEADS_LOG", "trace").stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let read = log.lines().take(lines).filter(Result::is_ok).count();
    child.kill().unwrap();
    child.wait().unwrap();
    read == lines
}

#[test]
fn the_next_writer_goes_on_after_a_kill() {
    let place = Place::with_store();
    let mut kept = 0;
    for lines in (1..MOST).step_by(APART) {
        if !is_killed_after(&place, lines) {
            break;
        }
        place.create("repo", "kept");
        kept += 1;
        let titles = place.titles("repo");
        let found = titles.iter().filter(|title| *title == "kept").count();
        assert_eq!(found, kept, "killed after {lines} lines");
    }
    assert!(kept > 2, "{kept}");
    place.is_sound("repo");
}
