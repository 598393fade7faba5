//! Rights by the names of refs, as gitolite gives them over ssh: a folder of branches for each person, or nothing to write.

use super::{export, refs_of};
use crate::properties::exchange::transports::Ssh;
use crate::support::clones::{create, failed};
use crate::support::{World, missing, tools};

/// A world with a gitolite that a lead, alice and a reader reach by ssh. None where a tool is missing.
fn served() -> Option<(World, Ssh)> {
    let mut world = World::empty();
    let Some(gitolite) = tools::find_in_system("gitolite") else {
        missing("gitolite3");
        return None;
    };
    let ssh = Ssh::start(&mut world, &["lead", "alice", "reader"], "host-home")?;
    let home = world.path("host-home");
    std::fs::create_dir_all(&home).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(&gitolite);
        command.args(args).current_dir(&home).env_clear();
        command.env("HOME", &home).env("PATH", "/usr/bin:/bin");
        command.env("USER", "host").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let lead = world.path("keys/lead.pub").display().to_string();
    run(&["setup", "-pk", &lead]);
    for name in ["alice", "reader"] {
        let key = home.join(format!(".gitolite/keydir/{name}.pub"));
        std::fs::copy(world.path(&format!("keys/{name}.pub")), key).unwrap();
    }
    let rules = "repo proj\n    RW+CD = lead\n    RW+CD refs/heads/dev/USER/ = alice\n    R = alice reader\n";
    std::fs::write(home.join(".gitolite/conf/gitolite.conf"), rules).unwrap();
    run(&["compile"]);
    run(&["trigger", "POST_COMPILE"]);
    std::fs::copy(home.join(".ssh/authorized_keys"), world.path("known")).unwrap();
    Some((world, ssh))
}

/// Makes a clone of a person, who comes in with a key of their own.
fn clone(world: &World, ssh: &Ssh, name: &str) {
    let (url, key) = (format!("{}/proj", ssh.url), ssh.client(name));
    let key = format!("core.sshCommand={key}");
    let clone = ["clone", "--quiet", "-c", &key, "-b", "main", &url, name];
    match name {
        "lead" => world.git_in(".", &[&clone[..4], &clone[6..]].concat()).ok(),
        _ => world.git_in(".", &clone).ok(),
    };
}

/// The lead's clone with a store of two issues that was not sent yet, and their ids.
fn lead(world: &World, ssh: &Ssh) -> [String; 2] {
    clone(world, ssh, "lead");
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "first"];
    world.git_in("lead", &commit).ok();
    world
        .git_in("lead", &["push", "--quiet", "origin", "HEAD:main"])
        .ok();
    world.bd_in("lead", &["init"]).ok();
    ["x", "y"].map(|title| create(world, "lead", &[title]))
}

/// Lets a person who has the store at hand begin to work on a branch.
fn enter(world: &World, name: &str, branch: &str) {
    world
        .git_in(name, &["checkout", "--quiet", "-b", branch])
        .ok();
    let lead = world.path("lead").display().to_string();
    world.bd_in(name, &["init", "--from", &lead]).ok();
}

#[test]
fn who_may_write_one_folder_sends_to_a_mailbox_there_and_a_lead_finds_it() {
    let Some((world, ssh)) = served() else {
        return;
    };
    let [x, _] = lead(&world, &ssh);
    clone(&world, &ssh, "alice");
    enter(&world, "alice", "dev/alice/x");
    world.bd_in("alice", &["note", &x, "by alice"]).ok();
    let said = world.bd_in("alice", &["sync"]).ok();
    assert!(
        said.contains("sent to the mailbox dev/alice/git-beads-x"),
        "{said}"
    );
    assert!(
        said.contains("git config --add beads.mailbox 'refs/heads/dev/alice/git-beads-*'"),
        "{said}"
    );
    let host = "host-home/repositories/proj.git";
    assert_eq!(
        refs_of(&world, host),
        ["refs/heads/dev/alice/git-beads-x", "refs/heads/main"]
    );
    // It is sent there at once from now on.
    world.bd_in("alice", &["note", &x, "again"]).ok();
    let said = world.bd_in("alice", &["sync"]).ok();
    assert!(
        said.starts_with("origin: 1 change sent to the mailbox"),
        "{said}"
    );
    let said = world.bd_in("lead", &["collect"]).ok();
    assert!(
        said.contains("collected from dev/alice/git-beads-x"),
        "{said}"
    );
    assert_eq!(
        refs_of(&world, host),
        ["refs/beads/main", "refs/heads/main"]
    );
    world.bd_in("alice", &["sync"]).ok();
    assert_eq!(export(&world, "alice"), export(&world, "lead"));
    for name in ["lead", "alice", "lead"] {
        let said = world.bd_in(name, &["sync"]).ok();
        assert!(said.contains(" 0 changes sent"), "{name}: {said}");
        world.bd_in(name, &["doctor"]).ok();
    }
}

#[test]
fn a_reader_writes_a_file_where_that_is_welcome_and_is_told_where_it_is_not() {
    let Some((world, ssh)) = served() else {
        return;
    };
    let [x, _] = lead(&world, &ssh);
    world.bd_in("lead", &["sync"]).ok();
    clone(&world, &ssh, "reader");
    world
        .git_in("reader", &["checkout", "--quiet", "-b", "fix/x"])
        .ok();
    world.bd_in("reader", &["init"]).ok();
    world.bd_in("reader", &["note", &x, "by a reader"]).ok();
    let error = failed(world.bd_in("reader", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    assert!(
        error["hint"].as_str().unwrap().contains("git beads carry"),
        "{error}"
    );
    assert!(!world.path("reader/.git-beads").exists());
    world
        .git_in("reader", &["config", "beads.carry", "true"])
        .ok();
    let said = world.bd_in("reader", &["sync", "--json"]).json();
    assert_eq!(said["delivery"], "carried", "{said}");
    assert_eq!(said["next"], "commit_file", "{said}");
    let host = "host-home/repositories/proj.git";
    assert_eq!(
        refs_of(&world, host),
        ["refs/beads/main", "refs/heads/main"]
    );
    // The branch arrives by the hands of another.
    world.git_in("reader", &["add", ".git-beads"]).ok();
    world
        .git_in("reader", &["commit", "--quiet", "-m", "work"])
        .ok();
    let reader = world.path("reader").display().to_string();
    let pull = ["pull", "--quiet", "--no-rebase", &reader, "fix/x"];
    world.git_in("lead", &pull).ok();
    world
        .git_in("lead", &["push", "--quiet", "origin", "HEAD:main"])
        .ok();
    world.bd_in("lead", &["sync"]).ok();
    world.bd_in("reader", &["sync"]).ok();
    assert_eq!(export(&world, "reader"), export(&world, "lead"));
}
