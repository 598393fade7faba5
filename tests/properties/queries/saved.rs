//! Queries that git's configuration keeps.

use super::{found, store};

#[test]
fn a_saved_query_is_used_by_its_name() {
    let world = store();
    let save = |name: &str, query: &str| {
        let key = format!("beads.query.{name}");
        world.git(&["config", &key, query]).ok();
    };
    save("hot", "p:<=1 sort:id");
    save("mine-or-hot", "a:@me OR @hot");
    save("loop", "@loop OR p:1");
    save("wrong", "lable:x");
    assert_eq!(found(&world, &["list", "@hot"]), ["epic", "login"]);
    assert_eq!(found(&world, &["list", "@HOT", "-l", "ui"]), ["login"]);
    assert_eq!(
        found(&world, &["list", "--all", "@hot", "--sort", "title"]),
        ["login", "old", "epic"]
    );
    assert_eq!(found(&world, &["ready", "@hot"]), ["login"]);
    assert_eq!(found(&world, &["list", "@hot", "-1"]), ["epic"]);
    assert_eq!(
        found(&world, &["list", "-w", "@mine-or-hot -l:api"]),
        ["codes", "login"]
    );
    assert_eq!(found(&world, &["search", "@hot", "page"]), ["login"]);
    let unknown = world.bd(&["list", "@hto"]);
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("no query is saved as `hto`"),
        "{unknown:?}"
    );
    let around = world.bd(&["list", "@loop"]);
    assert!(around.stderr.contains("`loop` names itself"), "{around:?}");
    let wrong = world.bd(&["list", "@wrong"]);
    assert!(
        wrong
            .stderr
            .contains("beads.query.wrong: `lable:` is no key"),
        "{wrong:?}"
    );
    // A word that is no name is an argument too many, as ever.
    assert_eq!(world.bd(&["list", "hot"]).code, 2);
}
