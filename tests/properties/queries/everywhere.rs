//! The same query in each verb, as options, and for agents.

use serde_json::json;

use super::{found, store};
use crate::clients::mcp::Agent;
use crate::support::look::ids;

#[test]
fn options_say_the_same_as_queries() {
    let world = store();
    for (options, query) in [
        (&["-s", "open", "-t", "bug"][..], "status:open type:bug"),
        (&["-l", "api", "-p", "0,1"], "label:api p:0,1"),
        (&["--not-label", "api"], "-label:api"),
        (
            &["--not-label", "api", "--not-label", "ui"],
            "-label:api -label:ui",
        ),
        (&["--not-label", "api,ui"], "-label:api,ui"),
        (
            &["-l", "ui,needs review"],
            "label:ui label:\"needs review\"",
        ),
        (&["--no-label"], "no:label"),
        (&["-a", "none"], "assignee:none"),
        (&["-s", "closed"], "is:closed"),
        (&["-s", "open", "-w", "is:any"], "status:open"),
        (&["--author", "lea"], "author:lea"),
        (&["--author", "me", "-a", "me"], "by:@me a:@me"),
        (&["--parent", "q-epic"], "parent:q-epic"),
        (&["--due", "7d"], "due:<=7d"),
        (&["--due", "2026-11-24"], "due:<=2026-11-24"),
        (&["--overdue"], "is:overdue"),
        (&["--since", "7d"], "updated:>=7d"),
        (&["--stale", "30d"], "updated:<30d"),
        (&["--waiting"], "is:waiting"),
        (&["--mine"], "is:mine"),
        (&["--sort", "due"], "sort:due"),
        (&["--sort", "due", "--reverse"], "sort:due-desc"),
        (&["--reverse"], "sort:priority-desc"),
        (&["--sort", "updated-asc"], "sort:updated-asc"),
        (&["-l", "api", "-w", "p:1"], "l:api p:1"),
        (&["-w", "l:api", "-w", "-p:1"], "l:api -p:1"),
    ] {
        let by_options = found(&world, &[&["list"], options].concat());
        assert_eq!(by_options, found(&world, &["list", "-w", query]), "{query}");
        assert!(!by_options.is_empty(), "{query}");
    }
    let empty = world.bd(&["list", "--author", " "]);
    assert_eq!(empty.code, 1);
    assert!(empty.stderr.contains("--author is empty"), "{empty:?}");
}

#[test]
fn verbs_take_the_same_query() {
    let mut world = store();
    let query = "label:api -label:later";
    assert_eq!(found(&world, &["list", "-w", query]), ["epic", "count"]);
    assert_eq!(
        found(&world, &["search", "--", query]),
        ["epic", "count", "old"]
    );
    assert_eq!(
        found(&world, &["search", "-w", query, "key"]),
        ["epic", "count"]
    );
    assert_eq!(
        found(&world, &["ready", "-w", "-type:bug"]),
        ["human", "umlaut", "sub", "quote"]
    );
    assert_eq!(
        found(&world, &["board", "-w", "label:api"]),
        ["count", "answer", "epic", "old"]
    );
    assert_eq!(found(&world, &["blocked", "-w", "due:>7d"]), ["answer"]);
    let exported = world.bd(&["export", "-w", "label:docs"]).ok();
    assert_eq!(exported.lines().count(), 2, "{exported}");
    for verb in ["status", "stats", "graph"] {
        world.bd(&[verb, "-w", query]).ok();
    }
    let watch = world.bd(&["watch", "-w", "words"]);
    assert!(watch.stderr.contains("not by words"), "{watch:?}");
    // A past state has its own texts.
    world.set("GIT_BEADS_ACTOR", "bob");
    world.bd(&["update", "q-upload", "--title", "Else"]).ok();
    let past = &["list", "-w", "at:@~1 title:uploads"];
    assert_eq!(found(&world, past), ["upload"]);
    assert!(found(&world, &["list", "-w", "title:uploads"]).is_empty());
    assert_eq!(
        found(&world, &["list", "-w", "actor:bob is:any"]),
        ["upload"]
    );
    let past = world.bd(&["blocked", "-w", "at:@~1"]);
    assert!(past.stderr.contains("git beads list --at"), "{past:?}");
}

#[test]
fn a_dash_in_front_of_a_key_is_explained() {
    let world = store();
    for (line, hint) in [
        (&["search", "-label:y"][..], "git beads search -- -label:y"),
        (
            &["search", "upl", "-label:y", "-s", "open"],
            "git beads search upl -s open -- -label:y",
        ),
        (&["list", "-label:y"], "git beads list -w -label:y"),
        (&["watch", "-label:y"], "git beads watch -w -label:y"),
        (
            &["board", "-is:blocked", "-no:label"],
            "git beads board -w '-is:blocked -no:label'",
        ),
    ] {
        let answer = world.bd(line);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(
            answer.stderr.ends_with(&format!("hint: {hint}\n")),
            "{answer:?}"
        );
    }
    assert_eq!(world.bd(&["list", "-w", "-label:y"]).code, 0);
    assert_eq!(world.bd(&["search", "--", "-label:y"]).code, 0);
}

#[test]
fn a_search_takes_what_is_no_query_as_words() {
    let world = store();
    assert_eq!(found(&world, &["search", "lable:x"]), [""; 0]);
    assert_eq!(found(&world, &["search", "429 ("]), ["answer"]);
    assert_eq!(found(&world, &["search", "https:"]), ["quote"]);
    assert_eq!(found(&world, &["search", "\"64 KB"]), ["upload", "quote"]);
    assert_eq!(found(&world, &["search", "proxy is:open"]), ["upload"]);
    assert_eq!(
        found(&world, &["search", "uploads", "OR", "licences"]),
        ["human", "upload", "quote"]
    );
    assert_eq!(found(&world, &["search", "is:deleted"]), [""; 0]);
    let wrong = world.bd(&["search", "is:opn"]);
    assert!(wrong.stderr.contains("did you mean `open`?"), "{wrong:?}");
}

#[test]
fn hits_show_where_they_have_the_words() {
    let world = store();
    let text = world.bd(&["search", "buffers is:open"]).ok();
    assert!(
        text.contains("\n  > comment: The proxy buffers 64 KB, then waits\n"),
        "{text}"
    );
    let answer = world.bd(&["search", "\"over 64\"", "--json"]).json();
    assert_eq!(
        answer["snippets"],
        json!([{"id": "q-quote", "field": "description",
            "text": "Uploads over 64 KB: see https://example.org/a", "matched": ["over 64"]}])
    );
    // What the title shows is not shown again.
    let titled = world.bd(&["search", "time out", "--json"]).json();
    assert!(titled.get("snippets").is_none(), "{titled}");
}

#[test]
fn agents_ask_in_the_same_words() {
    let world = store();
    let mut client = Agent::new(&world);
    let mut ask = |arguments: serde_json::Value| client.raw("task_list", &arguments);
    for (mode, query, wanted) in [
        ("list", "label:api -label:later", &["q-epic", "q-count"][..]),
        ("list", "is:closed sort:closed", &["q-old", "q-older"]),
        ("ready", "-type:bug p:2", &["q-human", "q-umlaut"]),
        ("blocked", "due:>7d", &["q-answer"]),
        ("search", "proxy is:open", &["q-upload"]),
    ] {
        let (text, failed) = ask(json!({"mode": mode, "query": query}));
        let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(!failed, "{text}");
        assert_eq!(ids(&answer["issues"]), wanted, "{mode} {query}: {text}");
    }
    let (text, failed) = ask(json!({"mode": "list", "query": "lable:api"}));
    assert!(
        failed && text.contains("did you mean `label:api`?"),
        "{text}"
    );
}
