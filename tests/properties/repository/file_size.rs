//! A limit on the size of files, as a quota sets it: an error that says so, and nothing is changed.

use crate::support::plumbing::{sound, tip};
use crate::support::{World, binary};

#[test]
fn a_write_beyond_a_limit_of_file_sizes_changes_nothing() {
    let world = World::with_store();
    let text = "long ".repeat(4000);
    for (size, ignored) in [(1, true), (8, true), (8, false)] {
        let before = (tip(&world), world.bd(&["list", "-q"]).ok());
        let signal = if ignored { "trap '' XFSZ; " } else { "" };
        let script = format!("ulimit -f {size}; {signal}exec \"$@\"");
        let args = ["-c", &script, "-", binary(), "create", "Long", "-d", &text];
        let said = world.run(world.command("repo", "bash", &args), None);
        if ignored {
            assert_eq!(said.code, 6, "{said:?}");
            assert!(
                said.stderr.contains("File too large")
                    && said.stderr.contains("hint: raise the limit"),
                "{said:?}"
            );
        } else {
            // The system ends whoever does not want to know.
            assert_ne!(said.code, 0, "{said:?}");
        }
        assert_eq!(
            (tip(&world), world.bd(&["list", "-q"]).ok()),
            before,
            "{size}"
        );
        world.create(&["After"]);
        sound(&world);
    }
    world.bd(&["doctor"]).ok();
}
