//! The row that a screen begins with.

use super::*;

/// Puts what was asked last first.
fn turn_asked(town: &mut Town) {
    town.asked.extend(town.state.take_asks());
    town.asked.make_contiguous().reverse();
}

/// Answers all, the repository that was asked last first.
fn settle_backwards(town: &mut Town) {
    turn_asked(town);
    town.settle();
}

/// Answers what was asked last, until there is a row.
fn answer_last(town: &mut Town) {
    turn_asked(town);
    while town.state.selected().is_none() {
        town.answer_first();
    }
}

#[test]
fn a_screen_of_several_repositories_begins_at_the_top() {
    for key in ["3", "2"] {
        let mut town = Town::new(true, [3, 3, 3]);
        town.settle();
        town.happens(Happens::Key(key));
        settle_backwards(&mut town);
        let first = Some(Selected {
            repo: 0,
            uid: uid(0, 0),
        });
        assert_eq!(town.state.selected(), first, "{key}");
        let board = &town.state.board;
        assert_eq!((town.state.list.top, board.left), (0, 0), "{key}");
        assert!(board.columns.iter().all(|column| column.top == 0));
        // What the user has gone to stays.
        town.happens(Happens::Later(1_000));
        town.happens(Happens::Key("j"));
        let second = town.state.selected();
        assert_ne!(second, first);
        town.happens(Happens::Removes(0, 0));
        town.happens(Happens::Adds(0, 0));
        settle_backwards(&mut town);
        assert_eq!(town.state.selected(), second, "{key}");
    }
}

#[test]
fn a_first_row_stays_selected_once_all_are_there() {
    for screen in ["3", "2"] {
        let mut town = Town::new(true, [0, 2, 2]);
        town.issues[1] = vec![4, 8];
        town.settle();
        town.happens(Happens::Key(screen));
        settle_backwards(&mut town);
        let first = town.state.selected();
        assert_eq!(first.as_ref().unwrap().uid, uid(1, 4));
        town.happens(Happens::Adds(1, 0));
        town.settle();
        assert_eq!(town.state.selected(), first, "{screen}");
    }
}

#[test]
fn what_was_opened_or_marked_before_that_stays_selected() {
    for keys in [&["enter", "esc"][..], &["p", "esc"], &["space", "esc"]] {
        for screen in ["3", "2"] {
            let mut town = Town::new(true, [3, 3, 3]);
            town.settle();
            town.happens(Happens::Key(screen));
            answer_last(&mut town);
            let early = town.state.selected();
            assert_eq!(early.as_ref().unwrap().repo, 2);
            for key in keys {
                town.happens(Happens::Key(key));
            }
            town.settle();
            assert_eq!(town.state.selected(), early, "{keys:?} {screen}");
        }
    }
}

#[test]
fn another_first_row_takes_no_act_at_once() {
    for screen in ["3", "2", "1"] {
        let mut town = Town::new(true, [3, 3, 3]);
        if screen != "1" {
            town.settle();
            town.happens(Happens::Key(screen));
        }
        answer_last(&mut town);
        town.settle();
        assert_eq!(town.state.selected().unwrap().repo, 0);
        town.happens(Happens::Key("p"));
        assert!(town.state.prompt.is_none(), "{screen}");
    }
}

#[test]
fn a_new_issue_is_selected_where_it_has_a_row() {
    for (screen, n) in [("1", 2), ("2", 2), ("3", 2), ("3", 350)] {
        let mut town = Town::new(false, [0, 0, 0]);
        town.issues[1] = (4..400).filter(|it| *it != n).collect();
        town.settle();
        town.happens(Happens::Key(screen));
        town.settle();
        town.happens(Happens::Key("j"));
        for key in ["n", "i", "t", "enter"] {
            town.happens(Happens::Key(key));
        }
        do_act(&mut town, vec![head(1, n)]);
        town.happens(Happens::Adds(1, n));
        town.settle();
        assert_eq!(town.state.selected().unwrap().uid, uid(1, n), "{screen}");
        let tail = format!("x{n}x1");
        assert!(town.drawn().unwrap().contains(&tail), "{screen}");
        assert!(town.state.made.is_none());
    }
}

#[test]
fn a_new_issue_without_a_row_leaves_the_selection() {
    for screen in ["1", "2", "3"] {
        let mut town = Town::new(false, [0, 8, 0]);
        town.settle();
        town.happens(Happens::Key(screen));
        town.settle();
        town.happens(Happens::Key("j"));
        let selected = town.state.selected();
        for key in ["n", "i", "t", "enter"] {
            town.happens(Happens::Key(key));
        }
        do_act(&mut town, vec![head(1, 300)]);
        town.happens(Happens::Adds(1, 301));
        town.settle();
        assert_eq!(town.state.selected(), selected, "{screen}");
        // Nor once a key was typed.
        town.happens(Happens::Key("k"));
        let selected = town.state.selected();
        town.happens(Happens::Adds(1, 300));
        town.settle();
        assert_eq!(town.state.selected(), selected, "{screen}");
    }
}
