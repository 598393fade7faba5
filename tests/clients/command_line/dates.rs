//! Times in the zone of the user, in the forms of git; dates as people write them; what is due, and what is overdue.

use crate::support::World;

/// A world five hours behind UTC, where it is 06:20 on Friday, 20 November 2026.
fn world() -> World {
    let mut world = World::with_store();
    world.set("TZ", "EST5");
    world.set("GIT_BEADS_NOW", "1795173600000");
    world
}

#[test]
fn times_are_shown_in_the_zone_of_the_user() {
    let world = world();
    let id = world.create(&["T"]);
    let log = |args: &[&str]| {
        let line = world.bd(&[&["log", "-1"], args].concat()).ok();
        let line = line.split_once(' ').unwrap().1.to_owned();
        line.split(" Ann ").next().unwrap().to_owned()
    };
    assert_eq!(log(&[]), "2026-11-20 06:20 -0500");
    for (form, shown) in [
        ("iso", "2026-11-20 06:20:00 -0500"),
        ("iso-local", "2026-11-20 06:20:00"),
        ("iso-strict", "2026-11-20T06:20:00-05:00"),
        ("rfc", "Fri, 20 Nov 2026 06:20:00 -0500"),
        ("default", "Fri Nov 20 06:20:00 2026 -0500"),
        ("local", "Fri Nov 20 06:20:00 2026"),
        ("short", "2026-11-20"),
        ("unix", "1795173600"),
        ("raw", "1795173600 -0500"),
        ("relative", "0 seconds ago"),
        ("human", "0 seconds ago"),
        ("format:%d.%m.%y", "20.11.26"),
    ] {
        assert_eq!(log(&["--date", form]), shown, "{form}");
    }
    world.git(&["config", "log.date", "iso"]).ok();
    assert_eq!(log(&[]), "2026-11-20 06:20:00 -0500");
    assert_eq!(log(&["--date=short"]), "2026-11-20");
    // With a terminal only; no terminal is here.
    world.git(&["config", "log.date", "auto:relative"]).ok();
    assert_eq!(log(&[]), "2026-11-20 06:20 -0500");
    world.git(&["config", "log.date", "nonsense"]).ok();
    assert_eq!(log(&[]), "2026-11-20 06:20 -0500");
    let wrong = world.bd(&["log", "--date", "nonsense"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("use relative, local, iso"),
        "{wrong:?}"
    );
    // Programs get UTC.
    let json = world.bd(&["log", "-1", "--json"]).json();
    assert_eq!(json["operations"][0]["at"], "2026-11-20T11:20:00.000Z");
    world.git(&["config", "--unset", "log.date"]).ok();
    assert!(
        world
            .bd(&["blame", &id])
            .ok()
            .contains("2026-11-20 06:20 -0500")
    );
    let watch = world.bd(&["watch", "--since", "@~1", "-n", "1"]).ok();
    assert!(
        watch.starts_with("2026-11-20 06:20:00 -0500 Ann"),
        "{watch}"
    );
}

#[test]
fn a_day_begins_at_midnight_of_the_user() {
    let mut world = world();
    // 23:30 of the 19th there.
    world.set("GIT_BEADS_NOW", "1795149000000");
    world.create(&["Late"]);
    world.set("GIT_BEADS_NOW", "1795173600000");
    let since = |date: &str| {
        world
            .bd(&["list", "--since", date, "-q"])
            .ok()
            .lines()
            .count()
    };
    assert_eq!(since("2026-11-19"), 1);
    assert_eq!(since("yesterday"), 1);
    assert_eq!(since("2026-11-20"), 0);
    assert_eq!(since("today"), 0);
    assert_eq!(since("2026-11-19 23:00"), 1);
    assert_eq!(since("23:31"), 0);
    assert_eq!(since("last month"), 1);
    let log = |args: &[&str]| {
        world
            .bd(&[&["log", "-q"], args].concat())
            .ok()
            .lines()
            .count()
    };
    let until = log(&["--until", "2026-11-19"]);
    assert_eq!(until, log(&["--until", "yesterday"]));
    assert_eq!(log(&["--until", "2026-11-18"]), until - 1);
    // More than the calendar has.
    for far in ["99999999 days", "99999 years", "2000000 weeks"] {
        world.bd(&["list", "--since", far]).fails(1);
        world
            .bd(&["list", "-w", &format!("due:>\"{far}\"")])
            .fails(1);
    }
    let wrong = world.bd(&["list", "--since", "someday"]);
    assert!(wrong.stderr.contains("friday"), "{wrong:?}");
}

#[test]
fn what_is_due_on_a_day_is_overdue_once_the_day_is_over() {
    let mut world = world();
    let ids = ["today", "yesterday", "next week", "friday 17:00"]
        .map(|due| world.create(&[due, "--due", due]));
    let due = |id: &str| world.bd(&["show", id, "--json"]).json()["issue"]["due"].clone();
    assert_eq!(due(&ids[0]), "2026-11-21T04:59:59.000Z");
    assert_eq!(due(&ids[2]), "2026-11-30T04:59:59.000Z");
    assert_eq!(due(&ids[3]), "2026-11-27T22:00:00.000Z");
    let listed = world.bd(&["list"]).ok();
    for text in [
        " today due 2026-11-20\n",
        " yesterday overdue 2026-11-19\n",
        " next week due 2026-11-29\n",
        " friday 17:00 due 2026-11-27 17:00 -0500\n",
    ] {
        assert!(listed.contains(text), "{listed}");
    }
    let row = world.bd(&["list", "--overdue", "--json"]).json();
    assert_eq!(row["issues"][0]["due"], "2026-11-20T04:59:59.000Z");
    for verb in [&["ready"][..], &["board"], &["status"]] {
        let text = world.bd(verb).ok();
        assert!(text.contains("overdue 2026-11-19"), "{text}");
        assert!(text.contains("due 2026-11-27 17:00 -0500"), "{text}");
    }
    let shown = world.bd(&["show", &ids[1]]).ok();
    assert!(shown.contains("\ndue: 2026-11-19 (overdue)\n"), "{shown}");
    assert!(
        world
            .bd(&["show", &ids[0]])
            .ok()
            .contains("\ndue: 2026-11-20\n")
    );
    let prime = world.bd(&["prime"]).ok();
    assert!(prime.contains(" yesterday (overdue)\n"), "{prime}");
    assert!(prime.contains(" today\n"), "{prime}");
    let compact = world.bd(&["prime", "--compact"]).ok();
    assert!(!compact.contains("overdue"), "{compact}");
    // At 00:00 of the next day there.
    world.set("GIT_BEADS_NOW", "1795237200000");
    assert!(
        world
            .bd(&["list"])
            .ok()
            .contains(" today overdue 2026-11-20\n")
    );
    world.bd(&["done", &ids[1], "-r", "late"]).ok();
    let shown = world.bd(&["show", &ids[1]]).ok();
    assert!(shown.contains("\ndue: 2026-11-19\n"), "{shown}");
    let all = world.bd(&["list", "--all"]).ok();
    assert!(!all.contains(" yesterday overdue"), "{all}");
    let patch = world.bd(&["update", &ids[0], "--due", "2026-12-01"]).code;
    assert_eq!(patch, 0);
    let log = world.bd(&["log", "-1", "-p"]).ok();
    assert!(log.contains("due: 2026-11-20 -> 2026-12-01"), "{log}");
}

#[test]
fn what_is_hidden_until_a_day_comes_back_when_it_begins() {
    let mut world = world();
    let id = world.create(&["Later", "--defer", "tomorrow"]);
    let defer = &world.bd(&["show", &id, "--json"]).json()["issue"]["defer"];
    assert_eq!(*defer, "2026-11-21T05:00:00.000Z");
    assert!(
        world
            .bd(&["show", &id])
            .ok()
            .contains("\ndeferred until: 2026-11-21\n")
    );
    let explained = world.bd(&["ready", "--explain"]).ok();
    assert!(
        explained.contains("deferred until 2026-11-21"),
        "{explained}"
    );
    world.set("GIT_BEADS_NOW", "1795237200000");
    assert!(world.bd(&["ready"]).ok().contains("Later"));
    let shown = world.bd(&["show", &id]).ok();
    assert!(
        shown.contains("\ndeferred until: 2026-11-21 (over)\n"),
        "{shown}"
    );
}

#[test]
fn blocked_issues_of_the_status_say_what_they_wait_for() {
    let world = world();
    let first = world.create(&["First"]);
    let second = world.create(&["Second", "-p", "0", "--on", &first]);
    let status = world.bd(&["status"]).ok();
    let row = format!("{second} P0 Second <- {first}\n");
    assert!(status.contains(&row), "{status}");
    let json = world.bd(&["status", "--json"]).json();
    assert_eq!(json["blocked"][0]["blocked_by"][0]["id"], first.as_str());
}

#[test]
fn what_is_due_in_days_is_due_on_a_day() {
    let world = world();
    let due = |text: &str| {
        let id = world.create(&[text, "--due", text]);
        world.bd(&["show", &id, "--json"]).json()["issue"]["due"].clone()
    };
    for text in ["3d", "in 3 days", "3 days"] {
        assert_eq!(due(text), "2026-11-24T04:59:59.000Z", "{text}");
    }
    assert_eq!(due("2 weeks"), "2026-12-05T04:59:59.000Z");
    assert_ne!(due("3h"), "2026-11-21T04:59:59.000Z");
    let said = world.bd(&["create", "Said", "--due", "3d"]).ok();
    assert!(said.contains("\ndue 2026-11-23\n"), "{said}");
    let id = world.create(&["Changed"]);
    let said = world.bd(&["update", &id, "--due", "3d"]).ok();
    assert!(said.contains("\ndue 2026-11-23\n"), "{said}");
}
