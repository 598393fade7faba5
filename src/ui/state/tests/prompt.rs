//! What is asked for: what it begins with, what it says, and how it is left.

use super::*;
use crate::desk::drafts::TextDraft;
use crate::ops::answer::{Entry, Question};
use crate::ops::scene::inbox::OpenQuestion;

/// A town of one repository whose first issue asks something.
fn town_with_question(options: &[&str]) -> Town {
    let mut town = Town::new(false, [0, 2, 0]);
    town.settle();
    let question = Question {
        entry: Entry {
            id: "entry".to_owned(),
            text: "Which one?".to_owned(),
            by: "lea".to_owned(),
            agent: None,
            at: String::new(),
        },
        to: None,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        answer: None,
        answered_by: None,
        answered_at: None,
    };
    let inbox = town.state.repos[1].inbox.as_mut().unwrap();
    inbox.questions.push(OpenQuestion {
        repo: None,
        uid: Some(uid(1, 0)),
        issue: summary(1, 0).id,
        title: String::new(),
        priority: 1,
        question,
        is_for_caller: true,
    });
    town.state.build_inbox();
    town.happens(Happens::Key("A"));
    town
}

#[test]
fn a_query_goes_on_behind_what_is_there() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    for (keys, query) in [
        (&["/", "a", "enter"][..], "a"),
        (&["/", "b", "enter"], "a b"),
        (&["/", "enter"], "a b"),
        (&["/", "ctrl-u", "enter"], ""),
        (&["/", "c", "enter"], "c"),
    ] {
        for key in keys {
            town.happens(Happens::Key(key));
        }
        town.settle();
        assert_eq!(town.state.list.query, query);
    }
}

#[test]
fn numbers_of_options_are_shown_where_they_can_be_typed() {
    for (options, row, keys) in [
        (["red", "blue"], "1: red | 2: blue", "12"),
        (["3", "10"], "3 | 10", ""),
    ] {
        let mut town = town_with_question(&options);
        let frame = town.text_of_picture();
        let prompt = town.state.prompt.as_ref().unwrap();
        let own = prompt.choices.iter().filter_map(|choice| choice.key);
        assert_eq!(own.collect::<String>(), keys);
        assert!(frame.contains(row), "{frame}");
        let last = frame.lines().last().unwrap();
        let said = "its number alone takes it";
        assert_eq!(last.contains(said), !keys.is_empty(), "{last}");
        assert!(!last.contains("before"), "{last}");
    }
}

#[test]
fn a_number_takes_its_option_over_what_was_typed_before_too() {
    let mut town = town_with_question(&["red", "blue"]);
    for key in ["t", "h", "a", "t", "esc", "A"] {
        town.happens(Happens::Key(key));
    }
    town.settle();
    assert!(town.text_of_picture().contains("   2 blue"));
    town.happens(Happens::Key("2"));
    // Not what has a 2 in it: it is about to be taken.
    assert!(town.text_of_picture().contains("   2 blue"));
    town.happens(Happens::Later(400));
    assert_eq!(acts(&mut town)[0]["text"], "blue");
}

#[test]
fn the_option_that_is_pointed_at_is_the_one_that_is_drawn() {
    let mut town = town_with_question(&["red", "blue", "green 2"]);
    town.happens(Happens::Key("2"));
    // By the mouse, before the number is taken.
    town.state.prompt.as_mut().unwrap().at = Some(0);
    town.happens(Happens::Key("enter"));
    assert_eq!(acts(&mut town)[0]["text"], "red");
}

#[test]
fn the_question_stays_where_a_draft_comes_back() {
    let mut town = town_with_question(&[]);
    let title = town.state.prompt.as_ref().unwrap().title.clone();
    town.state.take_drafts(
        1,
        vec![TextDraft {
            uid: uid(1, 0).to_string(),
            prompt: title,
            text: "the red one".to_owned(),
        }],
    );
    let frame = town.text_of_picture();
    for text in ["Which one?", "is here again", "the red one"] {
        assert!(frame.contains(text), "{text}: {frame}");
    }
}

#[test]
fn ctrl_c_leaves_what_is_asked_for_and_then_the_program() {
    let mut town = town_with_question(&[]);
    for key in ["r", "e", "d", "s", "ctrl-c"] {
        town.happens(Happens::Key(key));
    }
    assert!(town.state.prompt.is_none() && !town.state.is_over);
    town.happens(Happens::Key("A"));
    let prompt = town.state.prompt.as_ref().unwrap();
    assert_eq!(prompt.typed.text(), "reds");
    for key in ["ctrl-c", "ctrl-c"] {
        town.happens(Happens::Key(key));
    }
    assert!(town.state.is_over);
}

#[test]
fn a_long_text_that_is_typed_is_drawn_at_its_end() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("c"));
    town.happens(Happens::Paste("word ".repeat(100_000)));
    town.happens(Happens::Key("z"));
    assert!(town.state.prompt.is_some());
    town.drawn();
}

#[test]
fn of_several_issues_none_is_started() {
    let mut town = Town::new(false, [0, 3, 0]);
    town.settle();
    town.happens(Happens::Key("3"));
    town.settle();
    town.happens(Happens::Key("ctrl-a"));
    town.happens(Happens::Key("s"));
    let keys = |town: &Town| -> String {
        let prompt = town.state.prompt.iter();
        let choices = prompt.flat_map(|prompt| &prompt.choices);
        choices.filter_map(|choice| choice.key).collect()
    };
    assert_eq!(keys(&town), "obdxr");
    town.happens(Happens::Key("esc"));
    town.happens(Happens::Key("esc"));
    town.happens(Happens::Key("s"));
    assert_eq!(keys(&town), "sobdxr");
}
