//! The board and the mouse: what is selected, and what a move or a click does.

use super::*;

/// A town of one repository whose board is shown.
fn town_with_board(issues: u32) -> Town {
    let mut town = Town::new(false, [0, issues, 0]);
    town.settle();
    town.happens(Happens::Key("2"));
    town.settle();
    town.drawn();
    town
}

/// Returns the number of the issue that is selected.
fn selected(town: &Town) -> Option<u32> {
    let of = town.state.selected()?;
    (0..400).find(|n| uid(of.repo, *n) == of.uid)
}

#[test]
fn keys_go_in_a_column_and_to_others() {
    let mut town = town_with_board(40);
    let mut all = Vec::new();
    for key in ["j", "j", "l", "k", "right", "h", "G", "g", "g"] {
        town.happens(Happens::Key(key));
        all.push(selected(&town).unwrap());
    }
    assert_eq!(all, [4, 8, 9, 5, 6, 5, 37, 37, 1]);
    // A column without cards is passed by.
    for n in (2..40).rev().filter(|n| n % 4 == 2) {
        let at = town.issues[1].binary_search(&n).unwrap();
        town.happens(Happens::Removes(1, at));
    }
    town.settle();
    town.happens(Happens::Key("l"));
    assert_eq!(selected(&town), Some(3));
    assert_eq!(town.state.list.query, "");
}

#[test]
fn a_card_that_goes_away_leaves_no_act_to_the_one_in_its_place() {
    let mut town = town_with_board(40);
    town.happens(Happens::Key("j"));
    town.happens(Happens::Removes(1, 4));
    town.settle();
    assert_eq!(selected(&town), Some(8));
    town.happens(Happens::Key("L"));
    assert!(acts(&mut town).is_empty() && town.state.message.contains("taken the place"));
    town.happens(Happens::Later(600));
    town.happens(Happens::Key("L"));
    assert_eq!(acts(&mut town)[0]["act"], "start");
}

#[test]
fn moves_are_the_acts_of_the_menu() {
    let mut town = town_with_board(40);
    let title = |town: &Town| town.state.prompt.as_ref().unwrap().title.clone();
    town.happens(Happens::Key("H"));
    assert!(town.state.message.contains("no act leads further"));
    town.happens(Happens::Later(600));
    for (key, of_prompt) in [
        ("l", ""),
        ("L", "blocked, because"),
        ("l", ""),
        ("L", "close "),
    ] {
        town.happens(Happens::Key(key));
        if !of_prompt.is_empty() {
            assert!(title(&town).contains(of_prompt), "{}", title(&town));
            town.happens(Happens::Key("esc"));
        }
    }
    // On another screen there is no card.
    town.happens(Happens::Key("3"));
    town.settle();
    town.happens(Happens::Key("L"));
    assert!(town.state.message.contains("card of the board"));
}

#[test]
fn cards_stay_in_their_group() {
    let mut town = town_with_board(40);
    for key in ["/", "g", "r", "o", "u", "p", ":", "x", "enter"] {
        town.happens(Happens::Key(key));
    }
    town.settle();
    let columns = town.state.board.columns.iter();
    let keys: Vec<&str> = columns.map(|column| column.key.as_str()).collect();
    assert_eq!(keys, ["blocked", "done", IN_PROGRESS, "ready"]);
    town.happens(Happens::Key("L"));
    assert!(acts(&mut town).is_empty());
    let said = &town.state.message;
    assert!(said.ends_with("these columns are groups"), "{said}");
}

#[test]
fn order_and_groups_are_set_in_the_query() {
    let mut town = town_with_board(40);
    for (keys, query) in [
        (["O", "u"], "sort:updated"),
        (["O", "u"], "sort:updated-asc"),
        (["O", "P"], "sort:updated-asc group:priority"),
        (["O", "d"], "sort:due group:priority"),
        (["O", "-"], ""),
    ] {
        for key in keys {
            town.happens(Happens::Key(key));
        }
        town.settle();
        assert_eq!(town.state.list.query, query);
        assert_eq!(town.state.screen, ScreenName::Board);
    }
    for key in ["1", "O"] {
        town.happens(Happens::Key(key));
    }
    assert!(town.state.prompt.is_none());
}

#[test]
fn a_click_selects_and_a_card_is_dragged_to_another_column() {
    let mut town = town_with_board(40);
    let card = |town: &Town, n: u32| {
        let row = Hit::Row(RowKey::of(1, uid(1, n)));
        let area = town.state.areas.iter().find(|area| area.hit == row);
        area.unwrap().at
    };
    let mouse = |town: &mut Town, does, at: ratatui::layout::Rect| {
        town.happens(Happens::Mouse(does, at.x + 1, at.y + 1));
        town.drawn();
    };
    let (first, third, other) = (card(&town, 0), card(&town, 8), card(&town, 1));
    mouse(&mut town, MouseDoes::Press, third);
    mouse(&mut town, MouseDoes::Drag, first);
    mouse(&mut town, MouseDoes::Release, first);
    assert_eq!(selected(&town), Some(8));
    assert!(
        acts(&mut town).is_empty(),
        "it was let go in its own column"
    );
    mouse(&mut town, MouseDoes::Press, first);
    mouse(&mut town, MouseDoes::Drag, other);
    assert_eq!(town.state.pointer.over.as_deref(), Some(IN_PROGRESS));
    town.happens(Happens::Key("esc"));
    mouse(&mut town, MouseDoes::Release, other);
    assert!(acts(&mut town).is_empty(), "Esc has ended it");
    town.happens(Happens::Later(600));
    mouse(&mut town, MouseDoes::Press, first);
    mouse(&mut town, MouseDoes::Drag, other);
    mouse(&mut town, MouseDoes::Release, other);
    let acts = acts(&mut town);
    assert_eq!((&acts[0]["act"], acts.len()), (&"start".into(), 1));
    assert_eq!(acts[0]["id"], summary(1, 0).id);
    // Two clicks open it.
    town.happens(Happens::Later(600));
    mouse(&mut town, MouseDoes::Press, first);
    assert!(!town.state.panel.is_open);
    mouse(&mut town, MouseDoes::Press, first);
    assert!(town.state.panel.is_open);
}

#[test]
fn the_mouse_types_the_keys_that_are_drawn() {
    let mut town = town_with_board(40);
    let click = |town: &mut Town, hit: Hit| {
        let area = town.state.areas.iter().find(|area| area.hit == hit);
        let (x, y) = (area.unwrap().at.x, area.unwrap().at.y);
        // The second of two clicks is for the key that was there.
        town.happens(Happens::Later(600));
        town.happens(Happens::Mouse(MouseDoes::Press, x, y));
        town.happens(Happens::Mouse(MouseDoes::Release, x, y));
        town.settle();
        town.drawn();
    };
    click(&mut town, Hit::Key("1".to_owned()));
    assert_eq!(town.state.screen, ScreenName::Inbox);
    click(&mut town, Hit::Key("s".to_owned()));
    assert!(town.state.prompt.is_some());
    // The number of a screen is no answer to what is asked for.
    click(&mut town, Hit::Key("2".to_owned()));
    assert!(town.state.prompt.is_some() && town.state.screen == ScreenName::Inbox);
    click(&mut town, Hit::Choice("blocked, with a reason".to_owned()));
    let title = &town.state.prompt.as_ref().unwrap().title;
    assert!(title.contains("blocked, because"), "{title}");
    click(&mut town, Hit::Key("esc".to_owned()));
    assert!(town.state.prompt.is_none());
}
