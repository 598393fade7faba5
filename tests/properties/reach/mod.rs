//! Hosts that take less than a push of `refs/beads/main`: whatever they take, issues find their way out, and in.

mod adapter;
mod address;
mod apart;
mod branches;
mod carried;
mod content;
mod first;
mod fork;
mod found;
mod gitolite;
mod mailboxes;
mod many;
mod names;
mod odd;
mod refusals;
mod scarce;
mod shown;
mod simulation;
mod snapshot;

use crate::properties::exchange::transports::{Server, http, hub};
use crate::support::World;
use crate::support::clones::create;

/// A hub that is served over HTTP, with a first commit; none where a tool is missing. The user knows the password.
fn served() -> Option<(World, Server, String)> {
    let world = hub();
    let (server, base) = http(&world)?;
    Some((world, server, format!("{base}/hub.git")))
}

/// Says what the server refuses from now on.
fn rules(world: &World, rules: &str) {
    world.file("serve.rules", rules);
}

/// Forgets the requests so far.
fn forget_requests(world: &World) {
    world.file("serve.log", "");
}

/// The requests since then, without those for a password.
fn requests(world: &World) -> Vec<String> {
    let log = std::fs::read_to_string(world.path("serve.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

/// Does as an agent does: starts an issue, notes something, creates one and closes one. Returns the id of the new one.
fn work(world: &World, clone: &str, issues: &[String]) -> String {
    world.bd_in(clone, &["start", &issues[0]]).ok();
    world
        .bd_in(clone, &["note", &issues[0], "found in the sandbox"])
        .ok();
    world
        .bd_in(clone, &["done", &issues[1], "-r", "fixed"])
        .ok();
    create(world, clone, &["new in the sandbox"])
}

/// What a clone would export: the same in two clones whose issues are the same.
fn export(world: &World, clone: &str) -> String {
    world.bd_in(clone, &["export"]).ok()
}

/// The refs of the hub, by name.
fn hub_refs(world: &World) -> Vec<String> {
    refs_of(world, "hub.git")
}

/// The refs of a repository, by name.
fn refs_of(world: &World, repository: &str) -> Vec<String> {
    let listed = ["for-each-ref", "--format=%(refname)"];
    let refs = world.git_in(repository, &listed).ok();
    refs.lines().map(str::to_owned).collect()
}
