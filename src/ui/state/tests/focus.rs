//! Which pane has the focus, and what has it after an act.

use super::*;

/// A town of one repository in which an issue is open.
fn town_with_open_issue(screen: &'static str) -> Town {
    let mut town = Town::new(false, [0, 4, 0]);
    town.settle();
    for key in [screen, "j", "enter"] {
        town.happens(Happens::Key(key));
        town.settle();
    }
    town
}

/// Returns the last line of the picture.
fn keys_line(town: &mut Town) -> String {
    town.text_of_picture().lines().last().unwrap().to_owned()
}

#[test]
fn an_act_that_takes_the_row_away_leads_to_the_next_row() {
    for (screen, size) in [
        ("1", (80, 24)),
        ("1", (200, 50)),
        ("3", (80, 24)),
        ("3", (200, 50)),
    ] {
        let mut town = town_with_open_issue(screen);
        town.happens(Happens::Resize(size.0, size.1));
        town.settle();
        assert!(town.state.panel.is_open);
        for key in ["x", "enter"] {
            town.happens(Happens::Key(key));
        }
        do_act(&mut town, Vec::new());
        assert!(town.state.panel.is_open, "its row is still there");
        town.happens(Happens::Removes(1, 1));
        town.settle();
        assert!(!town.state.panel.is_open, "{screen} {size:?}");
        assert_eq!(town.state.selected().unwrap().uid, uid(1, 2));
        assert!(town.drawn().unwrap().contains("x2x1"));
        // What was just put in its place takes no act at once.
        town.happens(Happens::Key("Y"));
        assert!(acts(&mut town).is_empty(), "{screen}");
    }
}

#[test]
fn an_act_that_leaves_the_row_leaves_the_issue_open_whatever_others_do() {
    let mut town = town_with_open_issue("3");
    for key in ["c", "h", "i", "enter"] {
        town.happens(Happens::Key(key));
    }
    do_act(&mut town, Vec::new());
    town.happens(Happens::Adds(1, 300));
    town.settle();
    // Its reader has typed nothing since.
    town.happens(Happens::Later(3_000));
    town.happens(Happens::Removes(1, 1));
    town.settle();
    assert!(town.state.panel.is_open);
    assert_eq!(town.state.selected().unwrap().uid, uid(1, 1));
}

#[test]
fn the_change_is_left_once_it_is_accepted_or_sent_back() {
    for keys in [&["Y"][..], &["X", "enter"]] {
        let mut town = town_with_open_issue("1");
        town.happens(Happens::Key("v"));
        assert_eq!(town.state.panel.kind, PanelKind::Change);
        for key in keys {
            town.happens(Happens::Key(key));
        }
        do_act(&mut town, Vec::new());
        let panel = &town.state.panel;
        assert_eq!((panel.is_open, panel.kind), (false, PanelKind::Issue));
        town.happens(Happens::Removes(1, 1));
        town.settle();
        assert_eq!(town.state.selected().unwrap().uid, uid(1, 2));
    }
}

#[test]
fn a_wider_terminal_shows_which_row_is_selected() {
    let mut town = town_with_open_issue("1");
    // By another, so that it stays open.
    town.happens(Happens::Removes(1, 1));
    town.settle();
    assert!(town.state.panel.is_open);
    town.happens(Happens::Resize(200, 50));
    town.settle();
    assert!(!town.state.panel.is_open);
    assert!(town.drawn().unwrap().contains("x2x1"));
    // One that has its row stays open.
    for (width, height) in [(80, 24), (200, 50)] {
        town.happens(Happens::Key("enter"));
        town.happens(Happens::Resize(width, height));
        town.settle();
        assert!(town.state.panel.is_open);
    }
}

#[test]
fn the_focus_is_seen() {
    let mut town = town_with_open_issue("3");
    town.happens(Happens::Resize(120, 40));
    town.settle();
    let frame = town.text_of_picture();
    assert!(frame.lines().any(|line| line.starts_with(">  r-x1x1")));
    assert_eq!(town.turned(), None, "{frame}");
    assert!(keys_line(&mut town).contains("j k scroll "));
    town.happens(Happens::Key("esc"));
    assert!(town.turned().unwrap().starts_with(">  r-x1x1"));
    assert!(!keys_line(&mut town).contains("scroll"));
}
