//! What the user has configured for exchanges of their own neither breaks ours nor widens it.

use crate::properties::faults::is_tried;
use crate::support::World;
use crate::support::clones;
use crate::support::clones::{create, failed, hub_tip, script, sync, tip, two_clones};

/// The refs of a repository.
#[track_caller]
fn refs(world: &World, repo: &str) -> Vec<String> {
    let all = world
        .git_in(repo, &["for-each-ref", "--format=%(refname)"])
        .ok();
    all.lines().map(str::to_owned).collect()
}

#[test]
fn no_configuration_of_exchanges_breaks_or_widens_a_sync() {
    let world = two_clones();
    // What a widened exchange would carry along.
    world.git_in("a", &["branch", "private"]).ok();
    world.git_in("a", &["tag", "-a", "-m", "t", "mine"]).ok();
    world
        .git_in("a", &["tag", "-a", "-m", "t", "ours", "refs/beads/main"])
        .ok();
    world
        .git_in("b", &["commit", "--quiet", "--allow-empty", "-m", "second"])
        .ok();
    world
        .git_in("b", &["push", "--quiet", "origin", "HEAD:refs/heads/new"])
        .ok();
    world
        .git_in("b", &["push", "--quiet", "origin", "HEAD:refs/tags/theirs"])
        .ok();
    sync(&world, &["a", "b"]);
    let url = world.path("hub.git").display().to_string();
    let (hub, here) = (refs(&world, "hub.git"), refs(&world, "a"));
    let all = [
        ("remote.origin.mirror", "true"),
        ("remote.origin.push", "+refs/heads/*:refs/heads/*"),
        ("remote.origin.pushurl", &url),
        ("remote.origin.tagOpt", "--tags"),
        ("remote.origin.prune", "true"),
        ("remote.origin.pruneTags", "true"),
        ("remote.origin.skipFetchAll", "true"),
        ("push.default", "matching"),
        ("push.default", "nothing"),
        ("push.followTags", "true"),
        ("push.pushOption", "ci.skip"),
        ("push.gpgSign", "true"),
        ("push.gpgSign", "if-asked"),
        ("push.recurseSubmodules", "on-demand"),
        ("push.recurseSubmodules", "only"),
        ("push.negotiate", "true"),
        ("push.useForceIfIncludes", "true"),
        ("push.autoSetupRemote", "true"),
        ("fetch.prune", "true"),
        ("fetch.pruneTags", "true"),
        ("fetch.all", "true"),
        ("fetch.recurseSubmodules", "true"),
        ("fetch.writeCommitGraph", "true"),
        ("fetch.unpackLimit", "100000"),
        ("fetch.fsckObjects", "true"),
        ("fetch.output", "compact"),
        ("fetch.parallel", "4"),
        ("transfer.unpackLimit", "100000"),
        ("transfer.fsckObjects", "true"),
        ("transfer.hideRefs", "refs/beads"),
        ("submodule.recurse", "true"),
        ("core.logAllRefUpdates", "always"),
    ];
    let tried = all.iter().enumerate().filter(|(n, _)| is_tried(*n, 5));
    for (_, (key, value)) in tried {
        world.git_in("a", &["config", key, value]).ok();
        let (x, y) = (create(&world, "a", &["x"]), create(&world, "b", &["y"]));
        sync(&world, &["b", "a"]);
        let list = world.bd_in("a", &["list", "--all", "-q", "-n", "0"]).ok();
        assert!(list.contains(&x) && list.contains(&y), "{key}={value}");
        assert_eq!(tip(&world, "a"), hub_tip(&world), "{key}={value}");
        assert_eq!(refs(&world, "hub.git"), hub, "{key}={value}");
        assert_eq!(refs(&world, "a"), here, "{key}={value}");
        world.git_in("a", &["config", "--unset-all", key]).ok();
    }
}

/// Runs a command in clone `a` with a value that is configured for it alone, in both ways that git has.
#[track_caller]
fn with_configuration(world: &World, (key, value): (&str, &str), args: &[&str]) {
    let setting = format!("{key}={value}");
    let mut words = vec!["-C", "a", "-c", &setting, "beads"];
    words.extend(args);
    world.run(world.command(".", "git", &words), None).ok();
    let mut words = vec!["-C", "a"];
    words.extend(args);
    let mut command = world.command(".", crate::support::binary(), &words);
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", key)
        .env("GIT_CONFIG_VALUE_0", value);
    world.run(command, None).ok();
}

#[test]
fn what_is_configured_for_one_command_reaches_its_exchange() {
    let world = two_clones();
    let url = world.path("hub.git").display().to_string();
    world
        .git_in("a", &["remote", "set-url", "origin", "short:hub"])
        .ok();
    create(&world, "a", &["x"]);
    world.bd_in("a", &["sync"]).fails(5);
    let rewrites = format!("url.{url}.insteadOf");
    with_configuration(&world, (&rewrites, "short:hub"), &["sync"]);
    assert_eq!(tip(&world, "a"), hub_tip(&world));
    create(&world, "a", &["y"]);
    with_configuration(&world, (&rewrites, "short:hub"), &["push"]);
    assert_eq!(tip(&world, "a"), hub_tip(&world));
}

#[test]
fn what_is_configured_for_one_command_widens_nothing() {
    let world = two_clones();
    world.git_in("a", &["branch", "private"]).ok();
    world.git_in("a", &["tag", "-a", "-m", "t", "mine"]).ok();
    sync(&world, &["a"]);
    let (hub, here) = (refs(&world, "hub.git"), refs(&world, "a"));
    let harm = script(&world, "harm/pre-push", "touch $HOME/harmed");
    let harm = harm.trim_end_matches("/pre-push");
    for (key, value) in [
        ("remote.origin.mirror", "true"),
        ("remote.origin.push", "+refs/heads/*:refs/heads/*"),
        ("remote.origin.tagOpt", "--tags"),
        ("push.default", "matching"),
        ("push.followTags", "true"),
        ("push.pushOption", "ci.skip"),
        ("fetch.prune", "true"),
        ("core.hooksPath", harm),
        ("protocol.ext.allow", "always"),
    ] {
        create(&world, "a", &[key]);
        with_configuration(&world, (key, value), &["sync"]);
        assert_eq!(tip(&world, "a"), hub_tip(&world), "{key}={value}");
        assert_eq!(refs(&world, "hub.git"), hub, "{key}={value}");
        assert_eq!(refs(&world, "a"), here, "{key}={value}");
    }
    assert!(!world.path("home/harmed").exists());
}

#[test]
fn no_spelling_of_a_refspec_that_overwrites_our_ref_is_overlooked() {
    let world = two_clones();
    let usual = "+refs/heads/*:refs/remotes/origin/*";
    let set = |lines: &[&str]| {
        let _ = world.git_in("a", &["config", "--unset-all", "remote.origin.fetch"]);
        for line in lines {
            world
                .git_in("a", &["config", "--add", "remote.origin.fetch", line])
                .ok();
        }
    };
    for lines in [
        &["+refs/*:refs/*"][..],
        &["+refs/*:refs/*", usual],
        &[
            usual,
            "+refs/beads/*:refs/beads/*",
            "refs/tags/*:refs/tags/*",
        ],
        &["+refs/beads/main:refs/beads/main", usual],
        &["+refs/beads*:refs/beads*", usual],
        &["+refs/b*:refs/b*", usual],
        &["+refs/*/main:refs/*/main", usual],
        &["+*:*", usual],
        &["+refs/heads/beads:refs/beads/main", usual],
        &["+refs/heads/*:refs/beads/*", usual],
        &["+refs/*:refs/*", "^refs/heads/*"],
    ] {
        set(lines);
        let error = failed(world.bd_in("a", &["sync", "--json"]), 6);
        assert_eq!(error["code"], "mirror", "{lines:?}");
        world.file("more.jsonl", r#"{"id":"bd-more","title":"t"}"#);
        let error = failed(world.bd_in("a", &["import", "../more.jsonl", "--json"]), 6);
        assert_eq!(error["code"], "mirror", "{lines:?}");
    }
    for lines in [
        &[usual][..],
        &["refs/beads/*:refs/beads/*", usual],
        &["+refs/*:refs/*", "^refs/beads/*"],
        &["+refs/*:refs/*", "^refs/beads/main"],
        &["+refs/beads/main", usual],
        &["+refs/beads/*:refs/beads-remotes/origin/*", usual],
        &["+refs/heads/*:refs/beads/x/*", usual],
        &["+HEAD:refs/remotes/origin/HEAD", usual],
    ] {
        set(lines);
        world.bd_in("a", &["sync"]).ok();
    }
}

#[test]
fn a_branch_that_keeps_the_issues_is_fetched_alone() {
    let world = two_clones();
    for clone in ["a", "b"] {
        world
            .git_in(clone, &["config", "beads.remoteRef", "refs/heads/beads"])
            .ok();
        // The remote has no such branch yet.
        world.bd_in(clone, &["fetch"]).ok();
    }
    for name in ["beads-sync", "beads2", "beads.x"] {
        let to = format!("HEAD:refs/heads/{name}");
        world.git_in("b", &["push", "--quiet", "origin", &to]).ok();
    }
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b", "a"]);
    assert!(world.bd_in("b", &["list", "-q"]).ok().contains(&x));
    for clone in ["a", "b"] {
        let kept = refs(&world, clone);
        let kept: Vec<_> = kept
            .iter()
            .filter(|name| name.starts_with("refs/beads-remotes/"))
            .collect();
        assert_eq!(kept, ["refs/beads-remotes/origin/main"], "{clone}");
    }
    // It goes, and comes again.
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/heads/beads"])
        .ok();
    let y = create(&world, "b", &["y"]);
    world.bd_in("a", &["fetch"]).ok();
    assert!(!refs(&world, "a").contains(&"refs/beads-remotes/origin/main".to_owned()));
    sync(&world, &["b", "a"]);
    let list = world.bd_in("a", &["list", "-q"]).ok();
    assert!(list.contains(&x) && list.contains(&y), "{list}");
}

#[test]
fn other_refs_beside_ours_on_a_remote_are_not_fetched() {
    let world = two_clones();
    create(&world, "b", &["y"]);
    sync(&world, &["b"]);
    let tip = hub_tip(&world);
    let many: String = (0..2000)
        .map(|n| format!("create refs/beads/main-{n:04} {tip}\n"))
        .collect();
    let make = world.command("hub.git", "git", &["update-ref", "--stdin"]);
    world.run(make, Some(many.as_bytes())).ok();
    let before = refs(&world, "a");
    sync(&world, &["a"]);
    assert_eq!(refs(&world, "a"), before);
    assert_eq!(tip, clones::tip(&world, "a"));
}

#[test]
fn a_folder_of_refs_in_the_place_of_ours_is_named() {
    let world = two_clones();
    let tip = hub_tip(&world);
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world
        .git_in("hub.git", &["update-ref", "refs/beads/main/x", &tip])
        .ok();
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("refs/beads/main/x"), "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("git ls-remote origin"), "{error}");
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main/x"])
        .ok();
    sync(&world, &["a", "b"]);
}

#[test]
fn what_a_hook_prints_does_not_tell_why_a_push_failed() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    for words in [
        "fetch first",
        "non-fast-forward",
        "cannot lock ref",
        "failed to update ref",
        "stale info",
        "! a:refs/beads/main [rejected] (fetch first)",
        "fatal: couldn't find remote ref refs/beads/main",
        "authentication failed",
    ] {
        let counted = world.file("calls", "");
        script(
            &world,
            "hub.git/hooks/update",
            &format!("echo call >> {counted}\necho \"{words}\" >&2; exit 1"),
        );
        let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
        assert!(
            error["hint"]
                .as_str()
                .unwrap()
                .contains("the right to push"),
            "{words}: {error}"
        );
        let calls = std::fs::read_to_string(&counted).unwrap();
        assert_eq!(calls.lines().count(), 1, "{words}");
    }
}

#[test]
fn git_speaks_to_us_in_no_language_of_the_user() {
    let mut world = two_clones();
    let seen = world.file("seen", "");
    let real = world
        .run(world.command("a", "sh", &["-c", "command -v git"]), None)
        .ok();
    script(
        &world,
        "bin/git",
        &format!(
            "echo \"$LC_ALL|$LANGUAGE|$*\" >> {seen}\nexec {} \"$@\"",
            real.trim()
        ),
    );
    let path = format!(
        "{}:{}",
        world.path("bin").display(),
        world.search_path(false)
    );
    create(&world, "a", &["x"]);
    world
        .set("PATH", &path)
        .set("LC_ALL", "de_DE.UTF-8")
        .set("LANGUAGE", "de");
    world.bd_in("a", &["sync"]).ok();
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("fetch") && seen.contains("push"), "{seen}");
    for line in seen.lines().filter(|line| line.contains("--git-dir")) {
        assert!(line.starts_with("C||"), "{line}");
    }
}

/// Git 2.54 runs hooks that its configuration defines, which `core.hooksPath` does not switch off.
#[test]
fn hooks_of_the_configuration_are_off_in_the_git_that_we_run() {
    let mut world = two_clones();
    let seen = world.file("seen", "");
    let real = world
        .run(world.command("a", "sh", &["-c", "command -v git"]), None)
        .ok();
    let real = real.trim();
    script(
        &world,
        "bin/git",
        &format!(
            "case \"$*\" in *--git-dir*) for name in mine theirs; do\n\
             {real} config --get hook.$name.enabled >> {seen} || echo on >> {seen}\ndone;; esac\nexec {real} \"$@\""
        ),
    );
    let global = ["config", "--global", "hook.theirs.command", "false"];
    world.git_in("a", &global).ok();
    for (key, value) in [
        ("hook.mine.event", "reference-transaction"),
        ("hook.mine.command", "false"),
        ("hook.mine.enabled", "true"),
    ] {
        world.git_in("a", &["config", key, value]).ok();
    }
    let path = format!(
        "{}:{}",
        world.path("bin").display(),
        world.search_path(false)
    );
    create(&world, "a", &["x"]);
    world.set("PATH", &path);
    world.bd_in("a", &["sync"]).ok();
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.lines().count() >= 4, "{seen}");
    assert!(seen.lines().all(|line| line == "false"), "{seen}");
}

#[test]
fn a_refspec_of_ours_follows_a_remote_that_git_has_renamed() {
    let world = two_clones();
    let git = |args: &[&str]| world.git_in("a", args).ok();
    git(&["config", "beads.trackFetch", "true"]);
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    git(&["remote", "rename", "origin", "up"]);
    world
        .git_in(".", &["init", "--quiet", "--bare", "second.git"])
        .ok();
    let second = world.path("second.git").display().to_string();
    git(&["remote", "add", "origin", &second]);
    let said = world.bd_in("a", &["doctor", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let found: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let remedy = &found["findings"][0]["remedy"];
    assert_eq!(remedy, "git beads sync --remote up", "{found}");
    // The new remote of that name has never had issues.
    let said = world.bd_in("a", &["sync", "--remote", "origin"]).ok();
    assert!(!said.contains("lost its issues"), "{said}");
    for name in ["up", "origin"] {
        let lines = git(&["config", "--get-all", &format!("remote.{name}.fetch")]);
        let lines: Vec<&str> = lines
            .lines()
            .filter(|line| line.contains("beads"))
            .collect();
        assert_eq!(
            lines,
            [format!("+refs/beads/main*:refs/beads-remotes/{name}/main*")]
        );
    }
    create(&world, "a", &["y"]);
    for name in ["up", "origin", "up"] {
        git(&["fetch", "--quiet", name]);
        let said = world.bd_in("a", &["sync", "--remote", name]).ok();
        assert!(
            !said.contains("set back") && !said.contains("lost"),
            "{said}"
        );
    }
    world.bd_in("a", &["doctor"]).ok();
}
