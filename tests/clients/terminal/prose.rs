//! Texts of issues on a terminal: drawn as Markdown and wrapped at words, with links that a click follows.

use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr;

use crate::support::{World, data};

const TEXT: &str = "\
# Goal
The **old** `cache` is *slow*, see [the notes](https://x.example/notes) and https://x.example/a_b. \
It has to be replaced before the end of the month, word by word.

1. measure
2. replace
   - [x] reader
   - [ ] writer

```rust
fn a_line_of_code_that_is_never_wrapped_since_it_may_be_copied() {}
```

| what | before |
|------|--------|
| cold | 12 ms  |

> said before
";

fn shown(world: &World, columns: u32, args: &[&str]) -> Option<String> {
    let output = world.on_terminal(columns, &[&["--no-pager"], args].concat())?;
    Some(output.ok().replace('\r', ""))
}

#[test]
fn a_text_is_drawn_and_wrapped_at_words() {
    let world = World::with_store();
    let id = world.create(&["Cache", "-d", TEXT]);
    let Some(text) = shown(&world, 60, &["--color", "never", "show", &id]) else {
        return;
    };
    let (_, text) = text.split_once("description\n").unwrap();
    assert_snapshot!(text, @r#"
    # Goal
    The **old** `cache` is *slow*, see the notes
    (https://x.example/notes) and https://x.example/a_b. It
    has to be replaced before the end of the month, word by
    word.

    1. measure
    2. replace
       - ☑ reader
       - ☐ writer

      rust
        fn a_line_of_code_that_is_never_wrapped_since_it_may_be_copied() {}

    what  before
    ────  ──────
    cold  12 ms

    │ said before
    "#);
    // In a pipe it is as it was written.
    let text = world.bd(&["show", &id]).ok();
    assert!(text.contains(TEXT.trim_end()), "{text}");
}

#[test]
fn colours_take_the_place_of_signs_and_links_can_be_followed() {
    let world = World::with_store();
    world
        .git(&["config", "beads.page", "https://x.example/issues.html"])
        .ok();
    let id = world.create(&["Cache", "-d", "**old** [notes](https://x.example/é)"]);
    let Some(text) = shown(&world, 60, &["--color", "always", "show", &id]) else {
        return;
    };
    let page = format!("\u{1b}]8;;https://x.example/issues.html#/{id}\u{1b}\\");
    assert!(text.contains(&page), "{text:?}");
    let text = text.lines().last().unwrap();
    assert_snapshot!(text.trim().escape_debug(), @r#"\u{1b}[1mold\u{1b}[0m \u{1b}]8;;https://x.example/%C3%A9\u{1b}\\\u{1b}[4mnotes\u{1b}[0m\u{1b}]8;;\u{1b}\\ (\u{1b}]8;;https://x.example/%C3%A9\u{1b}\\\u{1b}[4mhttps://x.example/é\u{1b}[0m\u{1b}]8;;\u{1b}\\)"#);
    world.git(&["config", "beads.hyperlinks", "false"]).ok();
    let text = shown(&world, 60, &["--color", "always", "show", &id]).unwrap();
    assert!(!text.contains("\u{1b}]8"), "{text:?}");
    let text = shown(&world, 60, &["--color", "never", "show", &id]).unwrap();
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_pager_that_would_show_links_as_signs_gets_none() {
    let world = World::with_store();
    let id = world.create(&["Cache", "-d", "https://x.example"]);
    for (pager, gets_any) in [
        ("sed s/a/a/", false),
        ("tools/less", true),
        ("tools/old/less", false),
    ] {
        for (name, version) in [("less", 590), ("old/less", 551)] {
            let script = format!("[ \"$1\" = --version ] && echo less {version} && exit; cat");
            crate::support::clones::script(&world, &format!("repo/tools/{name}"), &script);
        }
        let mut words = vec![crate::support::binary(), "--color", "always"];
        let set = format!("core.pager={pager}");
        world.git(&["config", "core.pager", pager]).ok();
        words.extend(["show", &id]);
        let Some(output) = world.program_on_terminal(60, &words) else {
            return;
        };
        assert_eq!(output.ok().contains("\u{1b}]8"), gets_any, "{set}");
    }
}

#[test]
fn no_text_passes_for_what_the_program_says() {
    let world = World::with_store();
    let wide = "x ".repeat(60);
    let text =
        format!("# comments\n\n| a&#10;status: closed |\n|-|\n| b |\n\n|{wide}|\n|-|\n\nlast");
    let id = world.create(&["Cache", "-d", &text]);
    world.bd(&["note", &id, "--finding", "```\n```"]).ok();
    let Some(text) = shown(&world, 60, &["--color", "always", "show", &id]) else {
        return;
    };
    let (_, texts) = text.split_once("description").unwrap();
    let (drawn, memory) = texts.split_once("findings").unwrap();
    let lines = drawn.lines().skip(1).filter(|line| !line.is_empty());
    let lines: Vec<_> = lines.collect();
    let (_, ours) = lines.split_last().unwrap();
    assert!(ours.iter().all(|line| line.starts_with("  ")), "{lines:?}");
    assert!(drawn.matches('x').count() >= 60, "{drawn}");
    assert!(memory.contains("\n-\n"), "{memory}");
}

#[test]
fn a_link_of_many_words_is_sent_once_a_line() {
    let world = World::with_store();
    let text = format!("[{}](https://x.example)", "a ".repeat(500));
    let id = world.create(&["Cache", "-d", &text]);
    let Some(text) = shown(&world, 60, &["--color", "always", "show", &id]) else {
        return;
    };
    assert!(text.matches("]8;;https").count() < 30, "{text}");
}

#[test]
fn comments_are_a_thread() {
    let world = World::with_store();
    let id = world.create(&["Cache"]);
    world
        .bd_as("ann", &["note", &id, "--comment", "Why?\n\nIt was fast."])
        .ok();
    world
        .bd_as("bob", &["note", &id, "--comment", "Not **here**."])
        .ok();
    let text = world.bd(&["show", &id]).ok();
    let (_, text) = text.split_once("comments\n").unwrap();
    assert_snapshot!(text, @r#"
    ann, 2026-11-20 11:20 +0000 (57G561)
      Why?
      
      It was fast.
    bob, 2026-11-20 11:20 +0000 (DSB4RD)
      Not **here**.
    "#);
}

#[test]
fn no_text_of_a_real_store_is_wider_than_the_terminal() {
    let Some(folder) = data() else { return };
    let world = World::with_store();
    let file = folder.join("gqlc-1.x.jsonl").display().to_string();
    world.bd(&["import", &file]).ok();
    for id in world.bd(&["list", "--all", "-q"]).ok().lines().take(40) {
        let Some(text) = shown(&world, 70, &["--color", "never", "show", id]) else {
            return;
        };
        let raw = world.bd(&["show", id]).ok();
        for line in text.lines().filter(|line| line.width() > 70) {
            // Code is never wrapped.
            assert!(raw.contains(line.trim()), "{id}: {line}");
        }
    }
}

#[test]
fn no_word_is_cut_and_the_lines_of_a_paragraph_are_joined() {
    let world = World::with_store();
    let title = "Replace the cache of calibration sequences before the judges of the next round come to see it";
    let text = "The calibration of the sequences that the judges have seen was done before\nit was known that the cache\nis old.\n\nSteps:\nrun a\nrun b";
    let blocker = world.create(&[title]);
    let id = world.create(&[title, "-d", text, "--on", &blocker, "-l", "api"]);
    world.bd(&["start", &id]).all();
    let Some(text) = shown(&world, 60, &["--color", "never", "show", &id]) else {
        return;
    };
    for line in text.lines() {
        assert!(line.width() <= 60, "{text}");
    }
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(joined.matches(title).count(), 2, "{text}");
    let (_, described) = text.split_once("description\n").unwrap();
    let lines: Vec<&str> = described.lines().map(str::trim).collect();
    let wrapped = "The calibration of the sequences that the judges have seen";
    assert_eq!(
        lines[..2],
        [wrapped, "was done before it was known that the cache"],
        "{text}"
    );
    assert_eq!(
        lines[2..],
        ["is old.", "", "Steps:", "run a", "run b"],
        "{text}"
    );
    let list = shown(
        &world,
        60,
        &["--color", "never", "list", "-s", "in_progress"],
    )
    .unwrap();
    assert!(list.contains("  @Ann  Replace the cache"), "{list}");
}
