//! Texts of issues are shown, and steer nothing.

use crate::support::{World, binary};

const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;stolen\u{7}c\u{9b}31md\u{202e}e\u{200b}f\u{feff}g\u{7f}h\u{2066}i\u{1b}[?1049lj";

#[test]
fn hostile_texts_steer_nothing() {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let line = serde_json::json!({
        "id": "x-1", "title": HOSTILE, "description": format!("{HOSTILE}\n\n```\n{HOSTILE}\n```"),
        "labels": [HOSTILE], "assignee": HOSTILE, "created_by": HOSTILE, "issue_type": HOSTILE, "status": "open",
        "comments": [{"id": 1, "issue_id": "x-1", "author": HOSTILE, "text": HOSTILE, "created_at": "2026-01-01T00:00:00Z"}],
    });
    world.bd_with(format!("{line}\n"), &["import", "-"]).ok();
    world.git(&["config", "beads.query.x", HOSTILE]).ok();
    for size in [(24, 6), (80, 24), (200, 50)] {
        let words = [binary(), "ui"];
        let Some(mut screen) = world.screen("repo", size, &words) else {
            return;
        };
        screen.until("x-1");
        screen.keys("3\r");
        screen.until_is("the issue", |frame| {
            frame.contains("\\u{1b}[3") || size.0 < 80
        });
        screen.keys("q");
        screen.until_is("the rows", |frame| frame.contains("x-1"));
        screen.keys("*");
        screen.until("@x");
        screen.keys("q");
        screen.until_is("no menu", |frame| !frame.contains("@x"));
        screen.keys("/\u{1b}[200~\u{1b}[31m\u{7}pasted\u{1b}[201~");
        screen.until("pasted");
        screen.keys("\u{3}\u{3}");
        let ended = screen.end();
        assert_eq!(ended.code, 0);
        let sent = String::from_utf8(ended.sent).unwrap();
        let titles: Vec<&str> = sent.split("\u{1b}]0;").skip(1).collect();
        assert!(
            titles.iter().all(|title| !title.starts_with("stolen")),
            "{sent:?}"
        );
        assert_eq!(sent.matches("\u{1b}[?1049l").count(), 1, "{sent:?}");
        // Each of our titles ends with a bell.
        assert_eq!(sent.matches('\u{7}').count(), titles.len(), "{sent:?}");
        for bad in [
            '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{7f}',
        ] {
            assert!(!sent.contains(bad), "{bad:?}: {sent:?}");
        }
    }
}

#[test]
fn clusters_that_terminals_draw_differently_move_nothing_after_them() {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let title = "👩\u{200d}💻 日本 ❤\u{fe0f} e\u{301} end";
    let id = world.create(&[title]);
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("repo", (80, 24), &words) else {
        return;
    };
    screen.until(&id);
    screen.keys("q");
    let sent = String::from_utf8(screen.end().sent).unwrap();
    for cluster in ["👩\u{200d}💻", "日", "本", "❤\u{fe0f}", "e\u{301}"] {
        let (_, after) = sent
            .split_once(cluster)
            .unwrap_or_else(|| panic!("{cluster} in {sent:?}"));
        // Where the next cell is, is said.
        assert!(after.starts_with("\u{1b}["), "{cluster}: {after:?}");
    }
}
