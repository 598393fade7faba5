//! Filters as options and as queries, and against an earlier program where one is named.

use std::time::Duration;

use crate::kit::{self, World, median, millis, quiet, ratio, timed};

/// The variable that names a program from before queries.
const EARLIER: &str = "GIT_BEADS_EARLIER";

/// A filter as options, and the query that matches the same issues.
const FILTERS: [(&[&str], &str); 6] = [
    (&["list"], "is:open"),
    (&["list", "-l", "docs"], "label:docs is:open"),
    (
        &["list", "-t", "bug", "-p", "1"],
        "type:bug priority:1 is:open",
    ),
    (&["list", "-a", "none"], "no:assignee is:open"),
    (&["list", "-s", "closed"], "is:closed"),
    (&["ready", "-l", "docs"], "label:docs"),
];

/// Each filter in turn as options, as a query, and as options of the earlier program, with so many issues.
pub(crate) fn measure(size: usize) {
    let (world, _) = World::with_issues(size);
    let earlier = std::env::var(EARLIER).ok();
    // Each program has a cache of its own form: the repository of the other one is another.
    let before = earlier
        .as_deref()
        .map(|program| (program, World::with_issues(size).0));
    println!(
        "\n| {size} issues | options | query | ratio | earlier options | ratio |\n|---|---|---|---|---|---|"
    );
    for (options, query) in FILTERS {
        let as_query = [options[0], "-w", query];
        let as_options = || timed(&mut world.beads(options));
        let by_query = || timed(&mut world.beads(&as_query));
        let by_earlier = || {
            let run =
                |(program, world): &(&str, World)| timed(&mut quiet(&world.repo, program, options));
            before.as_ref().map(run)
        };
        let (mut times, mut queries, mut befores) = (Vec::new(), Vec::new(), Vec::new());
        // What the first command of each has to build is in none of the times.
        _ = (as_options(), by_query(), by_earlier());
        for _ in 0..kit::rounds(40) {
            times.push(as_options());
            queries.push(by_query());
            befores.extend(by_earlier());
        }
        let earlier = (!befores.is_empty()).then(|| median(befores));
        row(&options.join(" "), median(times), median(queries), earlier);
    }
}

fn row(name: &str, options: Duration, query: Duration, earlier: Option<Duration>) {
    let (time, by_query) = (millis(options), millis(query));
    let more = ratio(query, options);
    let earlier = earlier.map_or_else(
        || "| |".to_owned(),
        |earlier| {
            format!(
                "| {:.2} ms | {:.2} ",
                millis(earlier),
                ratio(options, earlier)
            )
        },
    );
    println!("| `{name}` | {time:.2} ms | {by_query:.2} ms | {more:.2} {earlier}|");
}
