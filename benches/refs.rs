//! A repository with a reftable against one with the same issues and refs in files.

use crate::kit::{self, World, median, millis, ratio, timed};

/// Commands in turn on both, with so many issues.
pub(crate) fn measure(size: usize) {
    let (files, _) = World::with_issues(size);
    let tables = World::in_reftable(size);
    println!("\n| {size} issues | files | reftable | ratio | target |\n|---|---|---|---|---|");
    for name in ["ready", "list", "show", "create", "update"] {
        let run = |world: &World, round: usize| {
            let title = format!("Issue {round} of the bench");
            let mut command = match name {
                "show" => world.beads(&["show", world.id(round)]),
                "create" => world.beads(&["create", &title]),
                "update" => world.beads(&["update", world.id(round), "--title", &title]),
                name => world.beads(&[name]),
            };
            timed(&mut command)
        };
        for world in [&files, &tables] {
            run(world, 0);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for round in 1..=kit::rounds(40) {
            before.push(run(&files, round));
            after.push(run(&tables, round));
        }
        row(name, median(before), median(after));
    }
    // Whatever else moves refs, the next command asks git for ours again.
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for _ in 0..kit::rounds(40) {
        for (world, times) in [(&files, &mut before), (&tables, &mut after)] {
            kit::done(&mut world.git(&["commit", "-q", "--allow-empty", "-m", "between"]));
            times.push(timed(&mut world.beads(&["ready"])));
        }
    }
    row("ready after a commit", median(before), median(after));
}

fn row(name: &str, files: std::time::Duration, tables: std::time::Duration) {
    println!(
        "| {name} | {:.2} ms | {:.2} ms | {:.2} | 3 |",
        millis(files),
        millis(tables),
        ratio(tables, files)
    );
}
