//! What commits on the default branch say of issues.

use crate::support::World;
use crate::support::plumbing::git;

fn commit(world: &World, message: &str) -> String {
    git(
        world,
        &["commit", "--quiet", "--allow-empty", "-m", message],
    );
    git(world, &["rev-parse", "HEAD"])
}

fn landed(world: &World) -> Vec<String> {
    world
        .bd(&["list", "--landed", "-q"])
        .ok()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_issue_shows_its_commits() {
    let world = World::with_store();
    let id = world.create(&["Fix it"]);
    let other = world.create(&["Another"]);
    assert!(!world.bd(&["show", &id]).ok().contains("commits"));
    let first = commit(&world, &format!("Begin ({id}) \u{1b}[31m"));
    let second = commit(&world, &format!("Go on\n\nBead: {id}\nBead: {other}"));
    let third = commit(&world, &format!("End\n\nCloses: {id}"));
    commit(&world, &format!("Talk of {id} only"));
    let shown = world.bd(&["show", &id, "--json"]).json()["issue"]["commits"].clone();
    let named: Vec<&str> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["commit"].as_str().unwrap())
        .collect();
    assert_eq!(named, [&third, &second, &first]);
    assert_eq!(
        (&shown[0]["closes"], &shown[1]["closes"]),
        (&true.into(), &serde_json::Value::Null)
    );
    let text = world.bd(&["show", &id]).ok();
    assert!(
        text.contains(&format!(
            "commits:\n  {} End (closes it)\n  {} Go on\n",
            &third[..7],
            &second[..7]
        )),
        "{text}"
    );
    if let Some(shown) = world.on_terminal(80, &["--no-pager", "show", &id]) {
        assert!(
            shown.stdout.contains("Begin") && !shown.stdout.contains("\u{1b}[31m"),
            "{shown:?}"
        );
    }
    let more = commit(&world, &format!("More\n\nBead: {other}"));
    assert!(
        world.bd(&["show", &other]).ok().contains(&more[..7]),
        "what came since is found"
    );
}

#[test]
fn what_has_landed_is_listed_and_closed() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let ids: Vec<String> = ["One", "Two", "Three"]
        .map(|title| world.create(&[title, "--parent", &epic]))
        .into();
    assert!(landed(&world).is_empty());
    assert!(
        world
            .bd(&["done", "--landed"])
            .ok()
            .contains("no open issue has landed")
    );
    commit(&world, "Root");
    let one = commit(&world, &format!("One\n\nCloses: {}", ids[0]));
    git(&world, &["switch", "--quiet", "-c", "feature"]);
    commit(&world, &format!("Two\n\nfixes: {}", ids[1]));
    commit(&world, &format!("Not the end ({})", ids[2]));
    assert_eq!(
        landed(&world),
        [&*ids[0]],
        "a branch of its own has not landed"
    );
    git(&world, &["switch", "--quiet", "main"]);
    git(&world, &["merge", "--quiet", "--squash", "feature"]);
    let squash = format!(
        "Both (#7)\n\n* Two\n\n  Fixes: {}\n\n* Not the end ({})",
        ids[1], ids[2]
    );
    let two = commit(&world, &squash);
    assert_eq!(landed(&world), [&*ids[0], &*ids[1]]);
    let list = world.bd(&["list", "--landed", "--json"]).json();
    assert_eq!(
        (&list["total_count"], &list["truncated"]),
        (&2.into(), &false.into())
    );
    let before = git(&world, &["rev-list", "--count", "refs/beads/main"]);
    let said = world.bd(&["done", "--landed"]).ok();
    assert!(
        said.contains(&format!(
            "{} {} closed; {epic}: 2 of 3 done",
            ids[0], ids[1]
        )),
        "{said}"
    );
    let count = |text: &str| text.parse::<u32>().unwrap();
    assert_eq!(
        count(&git(&world, &["rev-list", "--count", "refs/beads/main"])),
        count(&before) + 1
    );
    for (id, commit) in [(&ids[0], one), (&ids[1], two)] {
        assert!(
            world
                .bd(&["show", id])
                .ok()
                .contains(&format!("landed in {}", &commit[..12]))
        );
    }
    assert!(landed(&world).is_empty());
}

#[test]
fn what_was_decided_after_the_commit_counts_more() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    let date = |world: &World, seconds: u64| {
        let mut command = world.command(
            "repo",
            "git",
            &[
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                &format!("x\n\nCloses: {id}"),
            ],
        );
        let when = format!("@{} +0000", 1_795_173_600 + seconds);
        command
            .env("GIT_COMMITTER_DATE", &when)
            .env("GIT_AUTHOR_DATE", &when);
        world.run(command, None).ok();
    };
    date(&world, 600);
    assert_eq!(landed(&world), [&*id]);
    let mut later = world;
    later.set("GIT_BEADS_NOW", "1795175000000");
    later.bd(&["done", "--landed"]).ok();
    later.bd(&["reopen", &id, "-r", "it came back"]).ok();
    assert!(landed(&later).is_empty(), "it was reopened since");
    // A commit has whole seconds: one of the same second was not made later than a decision to open it again.
    date(&later, 1400);
    assert!(landed(&later).is_empty(), "within the same second");
    date(&later, 3000);
    later.set("GIT_BEADS_NOW", "1795177000000");
    assert_eq!(landed(&later), [&*id], "until the next commit");
}

#[test]
fn a_close_that_was_undone_after_the_commit_stays_undone() {
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    git(&world, &["config", "beads.autoClose", "true"]);
    let mut command = world.command(
        "repo",
        "git",
        &["commit", "-q", "--allow-empty", "-m", "x", "-m"],
    );
    command
        .arg(format!("Closes: {id}"))
        .env("GIT_COMMITTER_DATE", "@1795174200 +0000");
    world.run(command, None).ok();
    world.set("GIT_BEADS_NOW", "1795175000000");
    assert!(world.bd(&["sync"]).ok().contains("has landed"));
    world.bd(&["undo"]).ok();
    assert!(landed(&world).is_empty(), "somebody has decided since");
    let said = world.bd(&["sync"]).ok();
    assert!(!said.contains("has landed"), "{said}");
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
}

#[test]
fn an_undo_of_another_field_is_no_decision_on_the_status() {
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["update", &id, "-p", "1"]).ok();
    let mut command = world.command(
        "repo",
        "git",
        &["commit", "-q", "--allow-empty", "-m", "x", "-m"],
    );
    command
        .arg(format!("Closes: {id}"))
        .env("GIT_COMMITTER_DATE", "@1795174200 +0000");
    world.run(command, None).ok();
    world.set("GIT_BEADS_NOW", "1795175000000");
    world.bd(&["undo"]).ok();
    assert_eq!(landed(&world), [&*id]);
}

#[test]
fn a_history_that_was_rewritten_is_read_again() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    commit(&world, "Root");
    commit(&world, &format!("x\n\nCloses: {id}"));
    assert_eq!(landed(&world), [&*id]);
    git(&world, &["reset", "--quiet", "--hard", "HEAD~1"]);
    assert!(landed(&world).is_empty());
    assert!(!world.bd(&["show", &id]).ok().contains("commits"));
    git(&world, &["update-ref", "-d", "HEAD"]);
    assert!(landed(&world).is_empty());
}

#[test]
fn the_default_branch_is_what_the_remote_says() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    git(
        &world,
        &[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=trunk",
            "../hub.git",
        ],
    );
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    commit(&world, "Root");
    git(&world, &["push", "--quiet", "origin", "main:trunk"]);
    git(&world, &["remote", "set-head", "origin", "trunk"]);
    commit(&world, &format!("On main alone\n\nCloses: {id}"));
    assert!(landed(&world).is_empty());
    git(&world, &["push", "--quiet", "origin", "main:trunk"]);
    git(&world, &["fetch", "--quiet"]);
    assert_eq!(landed(&world), [&*id]);
}

#[test]
fn only_who_asks_for_it_has_issues_closed_by_a_sync() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    crate::support::plumbing::hub(&world);
    commit(&world, &format!("x\n\nCloses: {id}"));
    world.bd(&["sync"]).ok();
    assert_eq!(landed(&world), [&*id]);
    git(&world, &["config", "beads.autoClose", "true"]);
    world.bd(&["sync", "--dry-run"]).ok();
    assert_eq!(landed(&world), [&*id]);
    assert!(
        world
            .bd(&["sync"])
            .ok()
            .contains(&format!("{id} has landed and is closed"))
    );
    assert!(landed(&world).is_empty());
    git(&world, &["clone", "--quiet", "../hub.git", "../other"]);
    world.bd_in("other", &["init"]).ok();
    assert_eq!(
        world.bd_in("other", &["show", &id, "--json"]).json()["issue"]["status"],
        "closed"
    );
}

#[test]
fn the_default_branch_does_not_depend_on_what_is_checked_out() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    git(&world, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    git(&world, &["config", "init.defaultBranch", "gone"]);
    git(&world, &["config", "beads.autoClose", "true"]);
    commit(&world, "Root");
    git(&world, &["switch", "--quiet", "-c", "feature"]);
    commit(&world, &format!("x\n\nCloses: {id}"));
    assert!(landed(&world).is_empty());
    world.bd(&["hook", "refresh"]).ok();
    git(&world, &["config", "init.defaultBranch", "trunk"]);
    assert!(landed(&world).is_empty(), "it is on a branch of its own");
    git(&world, &["branch", "--quiet", "--force", "trunk"]);
    assert_eq!(landed(&world), [&*id]);
}

#[test]
fn a_fork_and_a_head_that_leads_nowhere_do_not_count() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    commit(&world, "Root");
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    git(&world, &["push", "--quiet", "origin", "main"]);
    git(
        &world,
        &[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/gone",
        ],
    );
    git(&world, &["switch", "--quiet", "-c", "theirs"]);
    commit(&world, &format!("x\n\nCloses: {id}"));
    git(&world, &["init", "--quiet", "--bare", "../fork.git"]);
    git(&world, &["remote", "add", "fork", "../fork.git"]);
    git(&world, &["push", "--quiet", "fork", "theirs:main"]);
    git(&world, &["fetch", "--quiet", "fork"]);
    assert!(landed(&world).is_empty());
    git(&world, &["switch", "--quiet", "main"]);
    git(&world, &["merge", "--quiet", "theirs"]);
    assert_eq!(
        landed(&world),
        [&*id],
        "main counts where the remote's HEAD leads nowhere"
    );
}

#[test]
fn a_commit_of_the_future_closes_once() {
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    let mut command = world.command(
        "repo",
        "git",
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            &format!("x\n\nCloses: {id}"),
        ],
    );
    command.env("GIT_COMMITTER_DATE", "2099-01-01T00:00:00Z");
    world.run(command, None).ok();
    world.bd(&["done", "--landed"]).ok();
    world.set("GIT_BEADS_NOW", "1795183600000");
    world.bd(&["reopen", &id, "-r", "no"]).ok();
    assert!(landed(&world).is_empty());
}

#[test]
fn who_opens_an_issue_again_is_heard_before_a_sync_closes_it() {
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    commit(&world, &format!("x\n\nCloses: {id}"));
    world.set("GIT_BEADS_NOW", "1895173600000");
    crate::support::plumbing::hub(&world);
    git(&world, &["push", "--quiet", "origin", "main"]);
    git(&world, &["clone", "--quiet", "../hub.git", "../other"]);
    world.bd_in("other", &["init"]).ok();
    world.set("GIT_BEADS_NOW", "1895173700000");
    world.bd(&["done", "--landed"]).ok();
    world.set("GIT_BEADS_NOW", "1895173800000");
    world.bd(&["reopen", &id, "-r", "it came back"]).ok();
    world.bd(&["sync"]).ok();
    world
        .git_in("other", &["config", "beads.autoClose", "true"])
        .ok();
    let said = world.bd_in("other", &["sync"]).ok();
    assert!(!said.contains("has landed"), "{said}");
    assert_eq!(
        world.bd_in("other", &["show", &id, "--json"]).json()["issue"]["status"],
        "open"
    );
}

#[test]
fn an_id_that_two_issues_bear_holds_up_nothing() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    crate::support::plumbing::hub(&world);
    git(&world, &["clone", "--quiet", "../hub.git", "../other"]);
    world.bd_in("other", &["init"]).ok();
    world.bd_in("other", &["q", "Theirs"]).ok();
    let theirs = world.bd_in("other", &["list", "-q"]).ok();
    let theirs = theirs.lines().find(|line| *line != id).unwrap().to_owned();
    let mine = world.create(&["Mine"]);
    world.bd(&["rename", &mine, "bd-twice"]).ok();
    world.bd_in("other", &["rename", &theirs, "bd-twice"]).ok();
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    commit(&world, &format!("x\n\nCloses: bd-twice, {id}"));
    assert_eq!(landed(&world), [&*id]);
    git(&world, &["config", "beads.autoClose", "true"]);
    assert!(
        world
            .bd(&["sync"])
            .ok()
            .contains(&format!("{id} has landed and is closed"))
    );
}

#[test]
fn readers_at_the_same_time_find_each_commit_once() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    for n in 0..4 {
        commit(&world, &format!("x{n} ({id})"));
        let shows = (0..6)
            .map(|_| crate::support::plumbing::program(&world, &["show", &id]))
            .collect();
        for shown in crate::support::plumbing::together(shows) {
            assert!(!shown.stderr.contains("can't be read"), "{shown:?}");
        }
    }
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["commits"].as_array().unwrap().len(), 4);
    for n in 0..20 {
        commit(&world, &format!("y{n} ({id})"));
    }
    let shown = world.bd(&["show", &id, "--json"]).json()["issue"].clone();
    assert_eq!(
        (
            shown["commits"].as_array().unwrap().len(),
            &shown["more_commits"]
        ),
        (20, &4.into())
    );
}

#[test]
fn a_shallow_clone_that_is_filled_up_is_read_again() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    commit(&world, &format!("x\n\nCloses: {id}"));
    commit(&world, "y");
    crate::support::plumbing::hub(&world);
    git(&world, &["push", "--quiet", "origin", "main"]);
    let url = format!("file://{}", world.path("hub.git").display());
    git(
        &world,
        &["clone", "--quiet", "--depth=1", &url, "../shallow"],
    );
    world.bd_in("shallow", &["init"]).ok();
    assert_eq!(world.bd_in("shallow", &["list", "--landed", "-q"]).ok(), "");
    world
        .git_in("shallow", &["fetch", "--quiet", "--unshallow"])
        .ok();
    assert_eq!(
        world
            .bd_in("shallow", &["list", "--landed", "-q"])
            .ok()
            .trim(),
        id
    );
}

#[test]
fn to_stop_in_the_second_of_a_commit_is_no_decision_against_it() {
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["start", &id]).ok();
    world.set("GIT_BEADS_NOW", "1795175000500");
    let message = format!("x\n\nCloses: {id}");
    let commit = ["commit", "--quiet", "--allow-empty", "-m", &message];
    let mut command = world.command("repo", "git", &commit);
    for name in ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"] {
        command.env(name, "@1795175000 +0000");
    }
    world.run(command, None).ok();
    world.bd(&["stop", &id]).ok();
    assert_eq!(landed(&world), [&*id]);
}

#[test]
fn what_has_landed_and_is_open_is_said_with_the_command_that_closes_it() {
    let world = World::with_store();
    let [mine, next, other] = ["Mine", "Next", "Other"].map(|title| world.create(&[title]));
    world.bd(&["start", &mine]).ok();
    let of = |value: &serde_json::Value| {
        let all = value["landed"].as_array().cloned().unwrap_or_default();
        let ids = all.iter().map(|it| it["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let ready = || of(&world.bd(&["ready", "--json"]).json());
    assert!(ready().is_empty());
    commit(&world, &format!("Do it\n\nCloses: {mine}"));
    let second = commit(&world, &format!("Do the next\n\nCloses: {next}"));
    let said = world.bd(&["ready", "--json"]).json();
    assert_eq!(said["landed"][0]["commit"], second);
    assert_eq!(ready(), std::slice::from_ref(&next));
    assert_eq!(
        of(&world.bd(&["status", "--json"]).json()),
        [mine.clone(), next.clone()]
    );
    assert_eq!(
        of(&world.bd(&["context", "--json"]).json()),
        [mine.clone(), next.clone()]
    );
    let line = format!("landed, still open: {next} (git beads done --landed)\n");
    assert!(world.bd(&["ready"]).ok().ends_with(&line));
    let line = format!("landed, still open: {mine}, {next} (git beads done --landed)");
    assert!(world.bd(&[]).ok().contains(&line));
    assert!(
        world
            .bd(&["prime"])
            .ok()
            .contains("git beads done --landed")
    );
    // A past state says nothing of commits.
    assert!(of(&world.bd(&["ready", "--at", "@", "--json"]).json()).is_empty());
    world.bd(&["done", "--landed"]).ok();
    for verb in ["ready", "status", "context"] {
        assert!(of(&world.bd(&[verb, "--json"]).json()).is_empty(), "{verb}");
    }
    // Who opens it again has decided so.
    world.bd(&["reopen", &next]).ok();
    assert!(ready().is_empty());
    assert_eq!(world.bd(&["ready", "-q"]).ok().lines().count(), 2);
    assert!(world.bd(&["ready", "-q"]).ok().contains(&other));
}
