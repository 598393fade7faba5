//! Two clones and a bare repository between them, which both reach by a path; git's hooks.

use super::{Place, has_shell};

const REF: &str = "refs/beads/main";
/// More looks at what happens in the background than it ever takes.
const LOOKS: usize = 5_000;

/// `repo` and `b`, with `hub.git` between them and the same issues in all; none where git has no shell for a path.
fn two() -> Option<Place> {
    if !has_shell() {
        return None;
    }
    let place = Place::with_store();
    place.git(".", &["init", "-q", "--bare", "hub.git"]).ok();
    place
        .git("repo", &["remote", "add", "origin", "../hub.git"])
        .ok();
    place
        .git("repo", &["push", "-q", "-u", "origin", "main"])
        .ok();
    place.create("repo", "first");
    place.bd("repo", &["sync"]).ok();
    place.git(".", &["clone", "-q", "hub.git", "b"]).ok();
    place.bd("b", &["init"]).ok();
    assert_eq!(place.titles("b"), ["first"]);
    Some(place)
}

fn tip(place: &Place, folder: &str) -> String {
    place.git(folder, &["rev-parse", REF]).ok()
}

#[test]
fn clones_exchange_over_a_path() {
    let Some(place) = two() else { return };
    place.create("repo", "here");
    place.create("b", "there");
    for folder in ["repo", "b", "repo"] {
        place.bd(folder, &["sync"]).ok();
    }
    assert_eq!(tip(&place, "repo"), tip(&place, "b"));
    assert_eq!(place.titles("b"), ["first", "here", "there"]);
    for folder in ["repo", "b", "hub.git"] {
        place.git(folder, &["fsck", "--strict"]).ok();
    }
    let gone = place.path("gone.git").display().to_string();
    place.git("b", &["remote", "set-url", "origin", &gone]).ok();
    let said = place.bd("b", &["sync"]).fails(5);
    assert!(said.contains("hint: "), "{said}");
}

#[test]
fn a_clone_comes_with_its_issues() {
    let Some(place) = two() else { return };
    let hub = place.path("hub.git").display().to_string();
    place.bd(".", &["clone", &hub]).ok();
    assert_eq!(place.titles("hub"), ["first"]);
}

#[test]
fn hooks_bring_issues_along() {
    let Some(place) = two() else { return };
    place.bd("b", &["hooks", "install", "--sync"]).ok();
    let status = place.bd("b", &["hooks", "status", "--json"]).json();
    for hook in status["hooks"].as_array().unwrap() {
        assert_eq!(hook["state"], "runs", "{status}");
    }
    place
        .git("repo", &["commit", "-q", "--allow-empty", "-m", "second"])
        .ok();
    place.git("repo", &["push", "-q"]).ok();
    place.create("repo", "news");
    place.bd("repo", &["sync"]).ok();
    place.git("b", &["pull", "-q"]).ok();
    assert!((0..LOOKS).any(|_| tip(&place, "b") == tip(&place, "repo")));
    assert_eq!(place.titles("b"), ["first", "news"]);
    place.bd("b", &["hooks", "uninstall"]).ok();
    let status = place.bd("b", &["hooks", "status", "--json"]).json();
    assert_eq!(status["hooks"][0]["state"], "absent");
}
