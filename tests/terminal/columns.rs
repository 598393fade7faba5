//! Columns: aligned on a terminal, wide characters counted as two, titles cut to the width.

use unicode_width::UnicodeWidthStr;

use crate::support::World;

fn lines(world: &World, columns: u32, args: &[&str]) -> Option<Vec<String>> {
    let output = world.on_terminal(columns, &[&["--no-pager", "--color", "never"], args].concat())?;
    Some(output.ok().lines().map(str::to_owned).collect())
}

/// The column at which a text begins.
fn column(line: &str, text: &str) -> usize {
    line[..line.find(text).unwrap_or_else(|| panic!("no {text} in {line}"))].width()
}

#[test]
fn titles_begin_in_one_column() {
    let world = World::with_store();
    let id = world.create(&["Alpha", "-t", "feature"]);
    world.create(&["Beta"]);
    world.bd(&["start", &id]).ok();
    let Some(lines) = lines(&world, 100, &["list"]) else { return };
    let at = |text: &str| column(lines.iter().find(|line| line.contains(text)).unwrap(), text);
    assert_eq!(at("Alpha"), at("Beta"), "{lines:#?}");
}

#[test]
fn wide_characters_in_ids_and_types_keep_the_columns() {
    let world = World::with_store();
    let input = "{\"id\":\"日本-1\",\"title\":\"Alpha\"}\n{\"id\":\"x-longer\",\"title\":\"Beta\"}\n";
    world.bd_with(input, &["import", "-"]).ok();
    let Some(lines) = lines(&world, 100, &["list"]) else { return };
    let at = |text: &str| column(lines.iter().find(|line| line.contains(text)).unwrap(), text);
    assert_eq!(at("Alpha"), at("Beta"), "{lines:#?}");
}

#[test]
fn no_row_is_wider_than_the_terminal() {
    let world = World::with_store();
    let parent = world.create(&[&"long ".repeat(90), "-l", "label"]);
    world.create(&[&"日本語".repeat(150), "--on", &parent]);
    world.create(&[&"e\u{301}".repeat(200), "--parent", &parent]);
    world.create(&[&"👩‍👩‍👧".repeat(50)]);
    for width in [60, 80, 132] {
        for args in [&["list"][..], &["list", "--tree"], &["ready"], &["blocked"], &["status"]] {
            let Some(lines) = lines(&world, width, args) else { return };
            for line in lines.iter().filter(|line| line.starts_with("bd-")) {
                assert!(line.width() <= width as usize, "{} of {width} in {args:?}: {line}", line.width());
            }
        }
    }
}

#[test]
fn a_cut_title_says_so() {
    let world = World::with_store();
    world.create(&[&"long ".repeat(90)]);
    let Some(lines) = lines(&world, 60, &["list"]) else { return };
    assert!(lines[0].ends_with('…'), "{lines:#?}");
    assert!(lines[0].width() > 55, "it fills the line: {lines:#?}");
}

#[test]
fn columns_is_heard() {
    let mut world = World::with_store();
    world.create(&[&"long ".repeat(90)]);
    world.set("COLUMNS", "70");
    let Some(lines) = lines(&world, 200, &["list"]) else { return };
    assert_eq!(lines[0].width(), 70, "{lines:#?}");
}

#[test]
fn a_pipe_gets_everything_and_single_spaces() {
    let mut world = World::with_store();
    let title = "日本語 ".repeat(60);
    let id = world.create(&[&title, "-t", "feature"]);
    world.create(&["Short"]);
    world.set("COLUMNS", "40");
    let text = world.bd(&["list"]).ok();
    assert_eq!(text.lines().next().unwrap(), format!("{id} P2 open feature {}", title.trim()));
    assert!(!text.contains("  "), "{text}");
}
