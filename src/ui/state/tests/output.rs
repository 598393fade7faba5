//! What verbs print, and the palette.

use super::*;

#[test]
fn what_a_verb_prints_is_asked_for_again_once_a_second_and_keeps_its_id() {
    let mut town = Town::new(false, [0, 4, 0]);
    town.settle();
    for key in ["6", "tab"] {
        town.settle();
        town.happens(Happens::Key(key));
    }
    // Twice in each line.
    town.happens(Happens::Key("tab"));
    town.happens(Happens::Key("tab"));
    let selected = town.state.selected().unwrap();
    assert_eq!(selected.uid, uid(1, 1));
    town.happens(Happens::Removes(1, 0));
    town.happens(Happens::Adds(1, 300));
    assert!(town.state.run().is_none(), "not so soon");
    assert_eq!(town.state.next_wake(), Some(PATIENCE));
    town.happens(Happens::Later(999));
    assert_eq!(town.state.next_wake(), Some(1));
    town.happens(Happens::Later(1));
    assert!(town.state.run().is_some());
    town.settle();
    assert_eq!(town.state.selected(), Some(selected.clone()));
    assert!(town.drawn().unwrap().contains("r-x1x1"));
    // One that is scrolled away takes no key, and one that was not opened takes no act.
    town.happens(Happens::Key("p"));
    assert!(town.state.prompt.is_none() && town.state.message.contains("Enter"));
    town.happens(Happens::Later(1_000));
    town.happens(Happens::Key("enter"));
    town.settle();
    town.happens(Happens::Key("p"));
    assert!(town.state.prompt.is_some());
    for key in ["esc", "esc", "tab", "esc"] {
        town.happens(Happens::Key(key));
    }
    assert_eq!(town.state.screen, ScreenName::Inbox);
    // What is left is not run to its end.
    town.happens(Happens::Key("4"));
    assert_eq!(town.state.run().unwrap().words, ["graph", "r-x1x1"]);
    town.happens(Happens::Key("q"));
    assert!(town.state.run().is_none() && !town.state.is_over);
}

#[test]
fn the_palette_leads_to_acts_issues_queries_repositories_and_verbs() {
    let type_in = |town: &mut Town, text: &str| {
        town.settle();
        // What comes right behind a refused key is left out.
        town.happens(Happens::Later(1_000));
        town.happens(Happens::Key(":"));
        for key in text.chars() {
            let key = key.to_string();
            let key = if key == " " { "space".to_owned() } else { key };
            town.state.input(Input::Key(key));
        }
        town.settle();
        town.happens(Happens::Key("enter"));
        town.settle();
    };
    let mut town = Town::new(false, [3, 4, 0]);
    town.state.verbs = vec!["stats", "ui", "board"];
    type_in(&mut town, "title 2");
    assert_eq!(town.state.selected().unwrap().uid, uid(1, 2));
    assert!(town.state.panel.is_open);
    town.happens(Happens::Key("esc"));
    type_in(&mut town, "add or remove");
    assert!(town.state.prompt.is_some(), "{}", town.state.message);
    town.happens(Happens::Key("esc"));
    type_in(&mut town, "@one");
    assert_eq!(
        (town.state.screen, &*town.state.list.query),
        (ScreenName::List, "is:open")
    );
    type_in(&mut town, "repository repo0");
    assert_eq!(town.state.only_repo(), Some("repo0"));
    type_in(&mut town, "stats -l 'a b'");
    assert_eq!(town.state.output.words, ["stats", "-l", "a b"]);
    assert_eq!(
        (town.state.screen, town.state.output.repo),
        (ScreenName::Output, 0)
    );
    // As it is pasted from somewhere else.
    type_in(&mut town, "git beads stats");
    assert_eq!(town.state.output.words, ["stats"]);
    for (line, why) in [
        ("ui --all", "a terminal of its own"),
        ("stats 'a", "a quote is not closed"),
    ] {
        type_in(&mut town, line);
        assert!(town.state.message.contains(why), "{}", town.state.message);
    }
    type_in(&mut town, "stats of nothing'");
    town.happens(Happens::Key("esc"));
    town.happens(Happens::Key(":"));
    for key in ["z", "z"] {
        town.happens(Happens::Key(key));
    }
    town.settle();
    assert!(
        town.state.message.contains("nothing here"),
        "{}",
        town.state.message
    );
    town.happens(Happens::Key("enter"));
    assert!(town.state.prompt.is_some());
}
