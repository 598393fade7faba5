//! Columns: aligned on a terminal, wide characters counted as two, titles cut to the width.

use unicode_width::UnicodeWidthStr;

use crate::properties::faults::plain_or;
use crate::support::{World, data};

fn lines(world: &World, columns: u32, args: &[&str]) -> Option<Vec<String>> {
    let output = world.on_terminal(
        columns,
        &[&["--no-pager", "--color", "never"], args].concat(),
    )?;
    Some(output.ok().lines().map(str::to_owned).collect())
}

/// The column at which a text begins.
fn column(line: &str, text: &str) -> usize {
    line[..line
        .find(text)
        .unwrap_or_else(|| panic!("no {text} in {line}"))]
        .width()
}

#[test]
fn titles_begin_in_one_column() {
    let world = World::with_store();
    let id = world.create(&["Alpha", "-t", "feature"]);
    world.create(&["Beta"]);
    world.bd(&["start", &id]).ok();
    let Some(lines) = lines(&world, 100, &["list"]) else {
        return;
    };
    let at = |text: &str| column(lines.iter().find(|line| line.contains(text)).unwrap(), text);
    assert_eq!(at("Alpha"), at("Beta"), "{lines:#?}");
}

#[test]
fn wide_characters_in_ids_and_types_keep_the_columns() {
    let world = World::with_store();
    let input =
        "{\"id\":\"日本-1\",\"title\":\"Alpha\"}\n{\"id\":\"x-longer\",\"title\":\"Beta\"}\n";
    world.bd_with(input, &["import", "-"]).ok();
    let Some(lines) = lines(&world, 100, &["list"]) else {
        return;
    };
    let at = |text: &str| column(lines.iter().find(|line| line.contains(text)).unwrap(), text);
    assert_eq!(at("Alpha"), at("Beta"), "{lines:#?}");
}

/// Views whose lines are rows: what does not fit stands elsewhere.
const VIEWS: [&[&str]; 24] = [
    &["list", "--all"],
    &["list", "--tree"],
    &["list", "-n", "2"],
    &["ready"],
    &["ready", "--explain"],
    &["blocked"],
    &["search", "a"],
    &["status"],
    &["board"],
    &["board", "-n", "0"],
    &["graph"],
    &["graph", "--all"],
    &["stats"],
    &["labels"],
    &["types"],
    &["people", "--all"],
    &["whats-new", "--agent", "c-1", "-n", "3"],
    &["log"],
    &["log", "--oneline"],
    &["log", "-p"],
    &["diff", "@~4"],
    &["diff", "@~3"],
    &["watch", "--since", "@~3", "-n", "3"],
    &["undo", "--dry-run"],
];

/// Holds every line of every view against widths; false: there is no terminal to be had.
#[track_caller]
fn fits(world: &World, widths: &[u32], more: &[&[&str]]) -> bool {
    for &width in widths {
        for args in VIEWS.iter().chain(more) {
            let Some(output) = world.on_terminal(
                width,
                &[&["--no-pager", "--color", "always"], *args].concat(),
            ) else {
                return false;
            };
            for line in output.ok().lines() {
                let mut pieces = line.split("\u{1b}[");
                let first = pieces.next().unwrap().to_owned();
                let (codes, texts): (Vec<&str>, Vec<&str>) =
                    pieces.map(|piece| piece.split_once('m').unwrap()).unzip();
                let text = first + &texts.concat();
                assert!(
                    text.width() <= width as usize,
                    "{} of {width} in {args:?}: {text}",
                    text.width()
                );
                assert_eq!(
                    *codes.last().unwrap_or(&"0"),
                    "0",
                    "a colour that goes on in {args:?}: {line}"
                );
            }
        }
    }
    true
}

#[test]
fn no_row_is_wider_than_the_terminal() {
    let world = World::with_store();
    let parent = world.create(&[
        &"long ".repeat(90),
        "-l",
        "label",
        "-t",
        "feature",
        "-a",
        &"日本".repeat(30),
    ]);
    let wide = world.create(&[&"日本語".repeat(150), "--on", &parent]);
    world.create(&[&"e\u{301}".repeat(200), "--parent", &parent]);
    world.create(&[&"👩‍👩‍👧❤\u{fe0f}🇩🇪".repeat(30)]);
    world.create(&[
        &"❤\u{fe0f}1\u{fe0f}\u{20e3}".repeat(60),
        "-d",
        &"\ttabs\tand 日本語 ".repeat(40),
    ]);
    world
        .bd_as(&"語".repeat(70), &["start", &parent, "--force"])
        .ok();
    world
        .bd_as(
            &"語".repeat(70),
            &["note", &parent, "--finding", &"長い ".repeat(90)],
        )
        .ok();
    world
        .bd(&[
            "update",
            &wide,
            "-d",
            &"a long line 日本語 ".repeat(30),
            "-A",
            "short\n\tlines\tof\ttabs",
        ])
        .ok();
    world
        .bd(&["block", &wide, "-r", &"because 日本語 ".repeat(30)])
        .ok();
    world
        .bd(&["update", &wide, "--title", &"題".repeat(100)])
        .ok();
    world.bd(&["rename", &parent, &"id-".repeat(20)]).ok();
    fits(
        &world,
        plain_or(&[40], &[40, 80, 200]),
        &[
            &["blame", &wide],
            &["log", &wide, "-p"],
            &["dep", "tree", &wide],
        ],
    );
}

#[test]
fn no_row_of_a_real_store_is_wider_than_the_terminal() {
    let Some(folder) = data() else { return };
    for file in ["beads-0.47.jsonl", "gqlc-1.x.jsonl"] {
        let world = World::with_store();
        world
            .bd(&["import", &folder.join(file).display().to_string()])
            .ok();
        let first = world.bd(&["list", "-q", "-n", "1"]).ok();
        world.bd(&["start", first.trim(), "--force"]).ok();
        world
            .bd(&["note", first.trim(), "--finding", &"long ".repeat(50)])
            .ok();
        world.bd(&["update", first.trim(), "-p", "3"]).ok();
        fits(
            &world,
            plain_or(&[80], &[40, 80, 200]),
            &[&["blame", first.trim()], &["log", first.trim(), "-p"]],
        );
    }
}

#[test]
fn a_narrow_list_keeps_its_titles() {
    let world = World::with_store();
    let id = world.create(&["A title that is seen", "-t", "feature"]);
    world.bd(&["start", &id]).ok();
    let Some(rows) = lines(&world, 40, &["list"]) else {
        return;
    };
    assert!(
        rows[0].starts_with(&format!("{id}  P2  @Ann  A title that is")),
        "{rows:#?}"
    );
    let rows = lines(&world, 20, &["list"]).unwrap();
    assert_eq!(
        rows,
        lines(&world, 40, &["list"]).unwrap(),
        "a narrower one wraps what 40 columns hold"
    );
}

#[test]
fn a_pipe_is_never_cut() {
    let mut world = World::with_store();
    world.set("COLUMNS", "40");
    let title = "日本語 ".repeat(60);
    let id = world.create(&[title.trim(), "-d", &"long ".repeat(90)]);
    world.bd(&["start", &id]).ok();
    for args in [
        &["list"][..],
        &["status"],
        &["board"],
        &["graph", "--all"],
        &["log", "-p"],
        &["diff", "@~2"],
    ] {
        let text = world.bd(args).ok();
        assert!(
            text.contains(title.trim()) && !text.contains('…'),
            "{args:?}: {text}"
        );
    }
    let text = world.bd(&["blame", &id]).ok();
    assert!(
        text.contains(title.trim()) && text.contains("long long") && !text.contains('…'),
        "{text}"
    );
}

#[test]
fn a_cut_title_says_so() {
    let world = World::with_store();
    world.create(&[&"long ".repeat(90)]);
    let Some(lines) = lines(&world, 60, &["list"]) else {
        return;
    };
    assert!(lines[0].ends_with('…'), "{lines:#?}");
    assert!(lines[0].width() > 55, "it fills the line: {lines:#?}");
}

#[test]
fn columns_is_heard() {
    let mut world = World::with_store();
    world.create(&[&"long ".repeat(90)]);
    world.set("COLUMNS", "70");
    let Some(lines) = lines(&world, 200, &["list"]) else {
        return;
    };
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
    assert_eq!(
        text.lines().next().unwrap(),
        format!("{id} P2 open feature {}", title.trim())
    );
    assert!(!text.contains("  "), "{text}");
}
