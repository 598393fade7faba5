//! Texts that begin with a dash: the items of a list are what agents write.

use crate::support::World;
use crate::support::look::issue;

const ITEMS: &str = "- item one\n- item two";

#[test]
fn every_text_of_an_option_may_begin_with_a_dash() {
    let world = World::with_store();
    let id = world.create(&["T", "-d", ITEMS, "-D", ITEMS, "-A", ITEMS, "--key", "-k=v"]);
    let shown = issue(&world, &id);
    for field in ["description", "design", "acceptance"] {
        assert_eq!(shown[field], ITEMS, "{field}");
    }
    assert_eq!(world.create(&["T", "--key", "-k=v"]), id);
    for (option, field) in [
        ("--title", "title"),
        ("--description", "description"),
        ("--design", "design"),
        ("--acceptance", "acceptance"),
        ("--notes", "notes"),
        ("--external-ref", "external_ref"),
    ] {
        let value = format!("--{field} -x");
        world.bd(&["update", &id, option, &value]).ok();
        assert_eq!(issue(&world, &id)[field], value.as_str(), "{option}");
    }
    for kind in ["--finding", "--decision", "--comment"] {
        let text = format!("-{kind}");
        world.bd(&["note", &id, kind, &text]).ok();
        assert!(world.bd(&["show", &id]).ok().contains(&text), "{kind}");
    }
    for verb in ["block", "done", "reopen", "delete"] {
        world.bd(&[verb, &id, "-r", &format!("- {verb}")]).ok();
        if verb == "block" {
            world.bd(&["unblock", &id]).ok();
        }
    }
}

#[test]
fn a_list_item_is_a_title_a_note_and_a_search() {
    let world = World::with_store();
    let id = world.create(&["- water plants", "-p", "1"]);
    assert_eq!(issue(&world, &id)["title"], "- water plants");
    assert_eq!(issue(&world, &id)["priority"], 1);
    let other = world.bd(&["q", "- rest", "-l", "x"]).ok();
    assert_eq!(issue(&world, other.trim())["title"], "- rest");
    world.bd(&["note", &id, ITEMS, "-s", "in_progress"]).ok();
    world
        .bd(&[
            "note",
            &id,
            "--finding",
            "- a",
            "- b",
            "--decision",
            "- c",
            "-q",
        ])
        .ok();
    let shown = world.bd(&["show", &id]).ok();
    for text in ["item one", "item two", "- a", "- b", "- c", "in_progress"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(world.bd(&["search", "- water"]).ok().contains(&id));
    assert!(world.bd(&["search", "--", "-water"]).ok().contains(&id));
    let id = world.create(&["--", "-title"]);
    assert_eq!(issue(&world, &id)["title"], "-title");
}

/// As in git: an option that needs a value takes the next word, whatever it looks like.
#[test]
fn the_word_after_an_option_of_text_is_its_value() {
    let world = World::with_store();
    let id = world.create(&["T", "-d", "--json"]);
    assert_eq!(issue(&world, &id)["description"], "--json");
    let stderr = world.bd(&["done", &id, "-r"]).fails(2);
    assert!(stderr.contains("value is required"), "{stderr}");
    let output = world.bd(&["update", &id, "-d", "--json", "--xyzzy"]);
    assert_eq!(output.stdout, "", "a value is no request for JSON");
    output.fails(2);
}

#[track_caller]
fn hint(world: &World, args: &[&str]) -> String {
    let stderr = world.bd(args).stderr;
    let line = stderr.lines().find_map(|line| line.strip_prefix("hint: "));
    line.unwrap_or_else(|| panic!("{stderr}")).to_owned()
}

#[test]
fn other_words_that_begin_with_a_dash_keep_their_error() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    let stderr = world.bd(&["show", "- x"]).fails(2);
    assert!(stderr.contains("unknown option"), "{stderr}");
    assert_eq!(hint(&world, &["note", &id, "-x"]), "git beads help note");
    assert_eq!(
        hint(&world, &["create", "--descripton", "d", "- item"]),
        "git beads create --description d '- item'"
    );
    assert_eq!(
        hint(&world, &["update", &id, "-D", "--body", "--body", "b"]),
        format!("git beads update {id} -D --body --description b")
    );
}

#[test]
fn a_text_that_looks_like_options_is_shown_behind_two_dashes() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    for (args, meant) in [
        (
            &["create", "-dash title", "-p1"][..],
            "git beads create -p1 -- '-dash title'".to_owned(),
        ),
        (
            &["create", "-x marks the spot"],
            "git beads create -- '-x marks the spot'".to_owned(),
        ),
        (
            &["create", "--json is broken"],
            "git beads create -- '--json is broken'".to_owned(),
        ),
        (
            &["note", &id, "-5 % here"],
            format!("git beads note -- {id} '-5 % here'"),
        ),
    ] {
        assert_eq!(hint(&world, args), meant);
    }
}
