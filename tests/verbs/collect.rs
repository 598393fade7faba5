//! `collect`: merges what others left in mailboxes, and sends it.

use crate::support::clones::{create, failed, sync, tip, two_clones};

/// Leaves what a clone has in a mailbox of the hub.
fn leave(world: &crate::support::World, clone: &str, mailbox: &str) {
    let to = format!("refs/beads/main:refs/heads/{mailbox}");
    world
        .git_in(clone, &["push", "--quiet", "origin", &to])
        .ok();
}

#[test]
fn a_mailbox_is_merged_sent_and_deleted() {
    let world = two_clones();
    let id = create(&world, "b", &["Left in a mailbox"]);
    leave(&world, "b", "dev/ann/git-beads-x");
    let answer = world.bd_in("a", &["collect", "--json"]).json();
    let collected = &answer["collected"][0];
    assert_eq!(
        (
            &collected["from"],
            &collected["changes"],
            &collected["issues"],
            &collected["deleted"]
        ),
        (
            &"dev/ann/git-beads-x".into(),
            &1.into(),
            &1.into(),
            &true.into()
        ),
        "{answer}"
    );
    assert_eq!(
        (&answer["sent"], &answer["received"]),
        (&1.into(), &0.into())
    );
    sync(&world, &["b"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    assert!(world.bd_in("a", &["list", "-q"]).ok().contains(&id));
    // Again: nothing is there, and nothing moves.
    let before = tip(&world, "hub.git");
    assert_eq!(
        world.bd_in("a", &["collect"]).ok(),
        "origin: 0 changes sent, 0 changes received\n"
    );
    assert_eq!(tip(&world, "hub.git"), before);
}

#[test]
fn a_mailbox_that_has_moved_meanwhile_is_kept() {
    let world = two_clones();
    create(&world, "b", &["First"]);
    leave(&world, "b", "dev/ann/git-beads-x");
    // The session sends more while the lead has merged and has not deleted yet.
    let more = format!(
        "cat >/dev/null; [ -e '{0}' ] || {{ touch '{0}'; cd '{1}' && unset GIT_DIR GIT_QUARANTINE_PATH && \
         git-beads create -q Second && git push -q origin refs/beads/main:refs/heads/dev/ann/git-beads-x; }}",
        world.path("once").display(),
        world.path("b").display()
    );
    crate::support::clones::script(&world, "hub.git/hooks/post-receive", &more);
    let answer = world.bd_in("a", &["collect", "--json"]).json();
    assert!(answer["collected"][0]["deleted"].is_boolean(), "{answer}");
    let listed = world
        .git_in("hub.git", &["for-each-ref", "--format=%(refname)"])
        .ok();
    assert!(listed.contains("dev/ann/git-beads-x"), "{listed}");
    let answer = world.bd_in("a", &["collect", "--json"]).json();
    assert_eq!(answer["collected"][0]["changes"], 1, "{answer}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 2);
}

#[test]
fn a_remote_that_is_none_is_refused() {
    let world = two_clones();
    let error = failed(
        world.bd_in("a", &["collect", "--remote", "nowhere", "--json"]),
        1,
    );
    assert_eq!(error["code"], "not_found");
}
