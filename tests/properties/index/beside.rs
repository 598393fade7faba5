//! Readings beside writers: each answer is of one state, and nothing that is well is called damaged.

use crate::support::World;
use crate::support::plumbing::{lines, together};

const WRITE: &str = r#"
n=0
while [ $n -lt 30 ]; do
    n=$((n + 1))
    id=$(GIT_BEADS_SEED=$1-$n git-beads q "issue $n") || exit 1
    GIT_BEADS_SEED=$1-$n-note git-beads note -q "$id" text || exit 1
    [ $((n % 5)) != 0 ] || git-beads purge -q "$id" --yes || exit 1
done
"#;

/// Runs each verb on standard input again and again, and prints those that fail.
const READ: &str = r#"
n=0
while [ $n -lt 4 ]; do
    n=$((n + 1))
    for verb in "$@"; do
        said=$(git-beads $verb 2>&1) || printf '%s: %s\n' "$verb" "$said"
    done
done
"#;

#[test]
fn readings_beside_writers_find_nothing_wrong() {
    let world = World::with_store();
    world.file("many.jsonl", lines(200));
    world.bd(&["import", "-q", "../many.jsonl"]).ok();
    let (write, read) = (world.file("write.sh", WRITE), world.file("read.sh", READ));
    let looks = ["doctor"; 6];
    let answers = [
        "export",
        "export --html",
        "list --all -n 0",
        "list --all -n 0 --json",
        "board",
        "stats",
        "graph",
        "carry --full",
        "status",
    ];
    let commands = vec![
        world.command("repo", "sh", &[&write, "a"]),
        world.command("repo", "sh", &[&write, "b"]),
        world.command("repo", "sh", &[&[read.as_str()][..], &looks].concat()),
        world.command("repo", "sh", &[&[read.as_str()][..], &answers].concat()),
    ];
    for output in together(commands) {
        assert_eq!(output.code, 0, "{output:?}");
        let said = output.stdout.lines().filter(|line| line.contains(": "));
        assert_eq!(said.collect::<Vec<_>>(), Vec::<&str>::new());
    }
    let said = world.bd(&["doctor"]).ok();
    assert!(said.contains("no problems"), "{said}");
}
