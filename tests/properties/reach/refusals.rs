//! Where nothing is taken: the error says so, and what only looks like a refusal is none.

use super::{forget_requests, requests, rules, served};
use crate::support::clones::{bare_clones, create, failed, script, sync, two_clones};

#[test]
fn a_host_that_takes_nothing_is_named_with_all_that_it_has_refused() {
    let world = two_clones();
    world
        .git_in("b", &["checkout", "--quiet", "-b", "claude/fix-1"])
        .ok();
    create(&world, "b", &["x"]);
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "cat >/dev/null; echo 'policy: nothing from you' >&2; exit 1",
    );
    let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("origin refuses refs/beads/main and claude/git-beads-fix-1"),
        "{message}"
    );
    assert!(message.contains("policy: nothing from you"), "{message}");
    let keys = world
        .git_in("b", &["config", "--get-regexp", "remote.origin.beads"])
        .stdout;
    assert_eq!(keys, "");
}

#[test]
fn one_who_may_only_read_is_told_and_no_other_ref_is_tried() {
    let Some((world, _server, url)) = served() else {
        return;
    };
    world.git_in(".", &["clone", "--quiet", &url, "a"]).ok();
    world.bd_in("a", &["init"]).ok();
    sync(&world, &["a"]);
    world
        .git_in("a", &["checkout", "--quiet", "-b", "claude/fix-1"])
        .ok();
    create(&world, "a", &["x"]);
    rules(&world, "readonly");
    forget_requests(&world);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    let asked = requests(&world);
    let pushes = asked
        .iter()
        .filter(|line| line.contains("git-receive-pack"));
    assert_eq!(pushes.count(), 1, "{asked:?}");
    rules(&world, "");
    sync(&world, &["a"]);
}

#[test]
fn an_outage_leads_to_no_other_ref() {
    let Some((world, _server, url)) = served() else {
        return;
    };
    world.git_in(".", &["clone", "--quiet", &url, "a"]).ok();
    world.bd_in("a", &["init"]).ok();
    world
        .git_in("a", &["checkout", "--quiet", "-b", "claude/fix-1"])
        .ok();
    for status in ["503", "429", "500"] {
        rules(&world, &format!("status {status}"));
        forget_requests(&world);
        let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
        assert_eq!(error["code"], "remote", "{error}");
        assert_eq!(requests(&world).len(), 1, "{status}");
    }
    let keys = world
        .git_in("a", &["config", "--get-regexp", "remote.origin.beads"])
        .stdout;
    assert_eq!(keys, "");
    rules(&world, "");
    sync(&world, &["a"]);
}

#[test]
fn the_words_of_a_hook_and_the_language_of_the_user_decide_nothing() {
    let mut world = bare_clones(&["a"]);
    world
        .set("LC_ALL", "de_DE.UTF-8")
        .set("LANG", "de_DE.UTF-8");
    world.bd_in("a", &["init"]).ok();
    let log = world.path("pushes").display().to_string();
    script(
        &world,
        "hub.git/hooks/update",
        &format!(
            "echo $1 >>'{log}'; echo 'rejected (fetch first): RPC failed; HTTP 503' >&2; exit 1"
        ),
    );
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    let tried = std::fs::read_to_string(&log).unwrap();
    assert_eq!(tried, "refs/beads/main\nrefs/heads/beads\n");
}

#[test]
fn of_several_remotes_the_usual_one_is_to_be_named() {
    let world = two_clones();
    let rename = |name: &str| ["remote", "rename", "origin", name].map(str::to_owned);
    world
        .git_in("a", &rename("one").each_ref().map(String::as_str))
        .ok();
    world
        .git_in("a", &["remote", "add", "two", "../hub.git"])
        .ok();
    world
        .git_in("a", &["config", "--unset", "branch.main.remote"])
        .all();
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 1);
    let text = error.to_string();
    assert!(text.contains("several remotes (one, two)"), "{text}");
    assert!(text.contains("git config beads.remote one"), "{text}");
    assert!(text.contains("git beads sync --remote one"), "{text}");
    world.git_in("a", &["config", "beads.remote", "one"]).ok();
    sync(&world, &["a"]);
}

#[test]
fn a_bare_repository_is_told_to_print_what_waits() {
    let (world, id) = (two_clones(), "bare.git");
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    world
        .git_in(".", &["clone", "--quiet", "--bare", "hub.git", id])
        .ok();
    world.bd_in(id, &["init"]).ok();
    world.git_in(id, &["config", "beads.carry", "true"]).ok();
    script(&world, "hub.git/hooks/update", "exit 1");
    create(&world, id, &["y"]);
    let error = failed(world.bd_in(id, &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    let hint = "git beads carry --stdout prints the changes";
    assert!(error.to_string().contains(hint), "{error}");
    let text = world.bd_in(id, &["carry", "--stdout"]).ok();
    assert!(text.starts_with("git-beads bundle 1\nBase: "), "{text}");
}
