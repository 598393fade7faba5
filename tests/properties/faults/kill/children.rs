//! Children of git that are killed alone, at their system calls: the command that started one succeeds or says plainly
//! that it could not, what was answered is there, and nothing is stuck.

use super::layouts::{CHANGES, Layout, Place, Verb, tried};
use super::numbered;
use crate::properties::faults::is_tried;
use crate::support::tools;

/// The children that commands start, by the subcommand of git.
const CHILDREN: [(Verb, &str); 8] = [
    (Verb::Sync, "fetch"),
    (Verb::Sync, "push"),
    (Verb::Sync, "update-ref"),
    (Verb::Sync, "for-each-ref"),
    (Verb::Import, "fast-import"),
    (Verb::Purge, "pack-objects"),
    (Verb::Create, "update-ref"),
    (Verb::Undo, "update-ref"),
];

/// What a reftable alone needs a git for.
const OF_REFTABLE: [&str; 2] = ["update-ref", "for-each-ref"];

impl Place {
    /// Traces the first git with a subcommand that a command starts.
    fn trace_child(&self, child: &str, options: &str) {
        let git = tools::find_in_system("git").unwrap();
        let (git, world) = (git.display(), self.world.path("").display().to_string());
        let script = format!(
            "#!/bin/sh\nfor word; do\n  if [ \"$word\" = {child} ] && mv '{world}armed' '{world}fired' 2>/dev/null; then\n    \
             exec strace -qq -e trace={CHANGES} {options} '{git}' \"$@\"\n  fi\ndone\nexec '{git}' \"$@\"\n"
        );
        self.world.executable("tools/git", script);
        self.world.file("armed", "");
    }

    fn disarm(&self) {
        let _ = std::fs::remove_file(self.world.path("armed"));
        std::fs::remove_file(self.world.path("tools/git")).unwrap();
    }

    /// Returns the calls that a child makes when nothing stops it; none where it is not started.
    fn calls_of_child(&self, verb: Verb, child: &str) -> Vec<(String, usize)> {
        self.restore();
        let log = self.world.path("calls").display().to_string();
        let _ = std::fs::remove_file(&log);
        self.trace_child(child, &format!("-o '{log}'"));
        self.world.bd(&self.arguments(verb)).ok();
        self.disarm();
        numbered(&std::fs::read_to_string(&log).unwrap_or_default())
    }

    /// Kills a child at one call; returns false where that was not reached.
    fn kill_child(&self, verb: Verb, child: &str, (name, n): &(String, usize)) -> bool {
        let settled = self.restore();
        let log = self.world.path("killed").display().to_string();
        let _ = std::fs::remove_file(&log);
        let inject = format!("-o '{log}' -e inject={name}:signal=SIGKILL:when={n}");
        self.trace_child(child, &inject);
        let output = self.world.bd(&self.arguments(verb));
        self.disarm();
        let at = format!("{verb:?}: git {child} killed at {name} {n}: {output:?}");
        let plain = output.stderr.contains("error: ") && !output.stderr.contains("panicked");
        assert!(output.code == 0 || plain, "{at}");
        let there = self.ids();
        if output.code == 0 {
            assert!(
                self.done(verb, &output, &there, &settled),
                "{at}: {there:?}"
            );
        }
        self.goes_on(verb, &there, &settled, &at);
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        log.contains("killed by SIGKILL")
    }
}

fn sweep(layout: Layout, name: &str) {
    let Some(place) = Place::new(layout) else {
        return;
    };
    let is_reftable = place.world.path("repo/.git/reftable").is_dir();
    let (mut all, mut points, mut killed) = (0, 0, 0);
    for (n, (verb, child)) in CHILDREN.into_iter().enumerate() {
        if !is_tried(n, 2) {
            continue;
        }
        if !is_reftable && OF_REFTABLE.contains(&child) {
            continue;
        }
        let calls = place.calls_of_child(verb, child);
        assert!(!calls.is_empty(), "{verb:?} starts no git {child}");
        for (at, call) in calls.iter().enumerate() {
            all += 1;
            // One of each of these at least.
            if at == calls.len() / 2 || tried(all) {
                killed += usize::from(place.kill_child(verb, child, call));
                points += 1;
            }
        }
    }
    assert!(killed > points / 2, "killed {killed} of {points}");
    eprintln!("{name}: {killed} of {all} calls of children: lost 0, stuck 0");
}

#[test]
fn children_killed_alone_take_nothing_along() {
    sweep(Layout::Packed, "packed refs");
}

#[test]
fn children_killed_alone_with_a_reftable_take_nothing_along() {
    sweep(Layout::Reftable, "reftable");
}
