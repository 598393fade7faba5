//! The jobs of a day in the live page, in a real headless Chromium.

use super::live::served;
use crate::clients::ui::world;
use crate::support::clones::{create, sync, two_clones};

#[test]
fn questions_are_answered_by_a_click_or_in_words_and_taken_back() {
    served(&world(), "jobs", "repo", "questions");
}

#[test]
fn what_is_said_to_be_done_is_looked_at_accepted_or_sent_back() {
    served(&world(), "jobs", "repo", "review");
}

#[test]
fn fields_texts_and_links_are_changed_by_keys() {
    served(&world(), "jobs", "repo", "fields");
}

#[test]
fn cards_are_moved_by_a_mouse_and_by_keys() {
    served(&world(), "jobs", "repo", "board");
}

#[test]
fn a_conflict_is_settled_by_a_click() {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    for (clone, priority) in [("a", "0"), ("b", "4")] {
        world.bd_in(clone, &["update", &id, "-p", priority]).ok();
    }
    sync(&world, &["a", "b", "a"]);
    // The driver runs there.
    std::fs::create_dir(world.path("repo")).unwrap();
    served(&world, "jobs", "a", "conflict");
}

#[test]
fn what_was_typed_stays_whatever_fails() {
    served(&world(), "jobs", "repo", "failing");
}

#[test]
fn where_only_reading_is_allowed_nothing_is_changed() {
    served(&world(), "jobs", "repo", "reading");
}

#[test]
fn whatever_can_be_done_is_found() {
    served(&world(), "jobs", "repo", "palette");
}

#[test]
fn an_act_is_for_the_issue_that_was_seen() {
    served(&world(), "jobs", "repo", "meant");
}

#[test]
fn fingers_do_it_too() {
    served(&world(), "jobs", "repo", "touch");
}
