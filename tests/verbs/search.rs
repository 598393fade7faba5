//! `search`: words in every text.

use crate::support::World;
use crate::support::look::{memory, named, quiet};

fn found(world: &World, args: &[&str]) -> Vec<String> {
    quiet(world, &[&["search"], args].concat())
}

fn library() -> World {
    let world = World::with_store();
    named(&world, "bd-title", &["Parser crashes"]);
    named(&world, "bd-text", &["T1", "-d", "The lexer is slow"]);
    named(&world, "bd-design", &["T2", "-D", "Rewrite in Zig"]);
    named(&world, "bd-accept", &["T3", "-A", "Benchmarks pass"]);
    named(&world, "bd-notes", &["T4"]);
    world
        .bd(&["update", "bd-notes", "--notes", "ask Grace"])
        .ok();
    named(&world, "bd-memory", &["T5", "-t", "bug", "-l", "ui"]);
    world
        .bd(&[
            "note",
            "bd-memory",
            "--finding",
            "the mutex is held",
            "--decision",
            "use atomics",
            "a comment",
        ])
        .ok();
    world
}

#[test]
fn every_text_is_searched() {
    let world = library();
    for (word, id) in [
        ("crashes", "bd-title"),
        ("lexer", "bd-text"),
        ("Zig", "bd-design"),
        ("benchmarks", "bd-accept"),
        ("grace", "bd-notes"),
        ("mutex", "bd-memory"),
        ("atomics", "bd-memory"),
        ("comment", "bd-memory"),
    ] {
        assert_eq!(found(&world, &[word]), [id], "{word}");
        assert_eq!(quiet(&world, &["grep", word]), [id], "{word}");
    }
}

#[test]
fn words_may_be_beginnings_and_all_must_be_there() {
    let world = library();
    assert_eq!(found(&world, &["cras"]), ["bd-title"]);
    assert_eq!(found(&world, &["pars", "cras"]), ["bd-title"]);
    assert_eq!(found(&world, &["pars cras"]), ["bd-title"]);
    assert!(found(&world, &["pars", "lexer"]).is_empty());
    assert!(found(&world, &["rashes"]).is_empty());
}

#[test]
fn signs_in_a_search_are_no_syntax() {
    let world = library();
    for text in [
        "\"",
        "crash*",
        "a AND",
        "(",
        "NEAR(",
        "title:crashes",
        "-crashes",
        "'; DROP TABLE",
        "^",
    ] {
        let output = world.bd(&["search", "--", text]);
        assert_eq!(output.code, 0, "{text}: {output:?}");
    }
    assert_eq!(found(&world, &["crash*"]), ["bd-title"]);
}

#[test]
fn a_search_takes_filters() {
    let world = library();
    assert_eq!(found(&world, &["t", "-t", "bug"]), ["bd-memory"]);
    assert_eq!(found(&world, &["mutex", "-l", "ui"]), ["bd-memory"]);
    assert!(found(&world, &["mutex", "-l", "db"]).is_empty());
    let page = world.bd(&["search", "t", "-n", "2", "--json"]).json();
    assert_eq!(
        (&page["returned"], &page["truncated"]),
        (&2.into(), &true.into())
    );
    assert!(page["total_count"].as_u64().unwrap() >= 5);
}

#[test]
fn closed_issues_are_found_and_deleted_ones_on_demand() {
    let world = library();
    world.bd(&["done", "bd-title"]).ok();
    assert_eq!(found(&world, &["crashes"]), ["bd-title"]);
    assert!(found(&world, &["crashes", "-s", "open"]).is_empty());
    world.bd(&["delete", "bd-title"]).ok();
    assert!(found(&world, &["crashes"]).is_empty());
    assert_eq!(found(&world, &["crashes", "--deleted"]), ["bd-title"]);
}

#[test]
fn a_change_is_found_at_once_and_what_is_gone_is_not() {
    let world = library();
    world
        .bd(&["update", "bd-title", "--title", "Grammar fails"])
        .ok();
    assert_eq!(found(&world, &["grammar"]), ["bd-title"]);
    assert!(found(&world, &["crashes"]).is_empty());
    let entry = memory(&world, "bd-memory")["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-memory", &entry]).ok();
    assert!(found(&world, &["mutex"]).is_empty());
}

#[test]
fn accents_and_other_scripts_are_found() {
    let world = World::with_store();
    named(&world, "bd-a", &["Größe prüfen"]);
    named(&world, "bd-b", &["Проверить размер"]);
    assert_eq!(found(&world, &["größe"]), ["bd-a"]);
    assert_eq!(found(&world, &["размер"]), ["bd-b"]);
}

#[test]
fn a_search_of_nothing_is_an_error_and_a_find_of_nothing_is_none() {
    let world = library();
    assert!(
        world
            .bd(&["search", " "])
            .fails(1)
            .contains("nothing to search for")
    );
    let _ = world.bd(&["search"]).fails(2);
    assert_eq!(world.bd(&["search", "xyzzy"]).ok(), "nothing found\n");
}
