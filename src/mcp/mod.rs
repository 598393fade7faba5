//! The MCP server: the operations for agents, over standard input and output.
//!
//! It is an adapter as the command line is: a call becomes a request, one operation answers it. The
//! rest is what agents need and people do not: tools that cost few tokens, answers of bounded size,
//! text made harmless, and the choice of the repository, made again on every call.
//!
//! One process serves both protocol eras. No repository is opened before the first call.

mod alias;
mod arguments;
mod call;
mod caller;
mod client_roots;
pub(crate) mod compaction;
mod context_argument;
mod facts;
mod file_uri;
mod hint;
#[cfg(feature = "http")]
mod http;
mod message;
mod meta;
mod meta_call;
mod parts;
mod pool;
mod profile;
mod prompts;
mod response;
mod routing;
mod sanitize;
mod schema;
mod server;
mod sessions;
mod state;
mod stdio;
mod tool;
mod tools;
mod tracker_cache;
mod truncate;
mod use_tools;
mod waiting;
mod workspaces;

use std::path::PathBuf;

use crate::env::{Env, canonicalize, start_thread};
use crate::ops::{Code, Command, Error, Hint, Result};
use compaction::Compaction;
pub(crate) use file_uri::folder_of_argument;
use profile::Profile;
use routing::Router;
use server::Server;
use workspaces::Workspaces;

pub(crate) fn profiles() -> [&'static str; 5] {
    Profile::names()
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The profile; else `GIT_BEADS_MCP_PROFILE`, else `beads.mcpProfile`, else `task`.
    pub profile: Option<String>,
    /// The repository; else `GIT_BEADS_REPO`, else the one around the current directory.
    pub repo: Option<PathBuf>,
    /// True if each call may name its repository.
    pub multi_repo: bool,
    /// The folders that these repositories may be in.
    pub roots: Vec<PathBuf>,
    /// Name of the actor of all changes.
    pub actor: Option<String>,
    /// The minutes without activity after which claims are over.
    pub lease: Option<u32>,
    /// The port to serve HTTP on, for the conformance suite.
    #[cfg(feature = "http")]
    pub http: Option<u16>,
}

/// Serves until the input ends.
pub fn serve(env: &Env, options: Options) -> Result<()> {
    #[cfg(feature = "http")]
    let port = options.http;
    env.stay();
    let server = prepare(env, options)?;
    // What is named relative to it was made absolute. The folder can be removed and made again.
    env.leave_current_dir();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let failed = |error| Error::new(Code::Io, format!("can't start the server: {error}"));
    let runtime = runtime.map_err(failed)?;
    // One that reads and one that works, both at once: the runtime would panic without them.
    let threads = [(); 2].map(|()| start_thread(std::thread::park));
    for thread in threads {
        let thread = thread.map_err(failed)?;
        thread.thread().unpark();
        let _ = thread.join();
    }
    #[cfg(feature = "http")]
    if let Some(port) = port {
        return runtime.block_on(http::serve(server, port));
    }
    let served = runtime.block_on(stdio::serve(server));
    // A call may still wait for git, which talks to a remote.
    crate::ops::end_children();
    // A read of standard input may still be waiting.
    runtime.shutdown_background();
    served
}

fn prepare(env: &Env, options: Options) -> Result<Server> {
    let named = match options.profile {
        Some(name) => Some((name, "--profile")),
        None => env
            .var("GIT_BEADS_MCP_PROFILE")
            .map(|name| (name, "GIT_BEADS_MCP_PROFILE")),
    };
    let profile = named
        .map(|(name, place)| Profile::parse(&name, place))
        .transpose()?;
    let compaction = Compaction::from_env(env, truncate::LONGEST - 300)?;
    if options.multi_repo == options.roots.is_empty() {
        let message = "--multi-repo and --root DIR belong together";
        return Err(Error::invalid(message).hinted(
            Command::of("mcp")
                .flag("--multi-repo")
                .flag("--root")
                .placeholder("DIR"),
        ));
    }
    let real = |dir: &PathBuf| {
        canonicalize(dir).map_err(|error| {
            Error::not_found(format!("--root {} can't be opened: {error}", dir.display()))
                .hinted(Hint::text("name a folder that exists"))
        })
    };
    let roots = options.roots.iter().map(real).collect::<Result<Vec<_>>>()?;
    let strict = requires_context(env)?;
    let router = Router {
        repo: options.repo,
        roots,
        multi: options.multi_repo,
        strict,
        actor: options.actor,
        lease: options.lease,
        chosen: Workspaces::default(),
        client_roots: std::default::Default::default(),
        home: std::default::Default::default(),
        env: env.clone(),
    };
    Ok(Server::new(router, profile, compaction))
}

/// Reads `BEADS_REQUIRE_CONTEXT`. A word that is neither yes nor no is refused: writes would go unguarded without a word.
fn requires_context(env: &Env) -> Result<bool> {
    const NAME: &str = "BEADS_REQUIRE_CONTEXT";
    let value = env.var(NAME).unwrap_or_default();
    match value.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "" | "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(Error::invalid(format!(
            "{NAME} must be 1 (true, yes, on) or 0 (false, no, off), not `{value}`"
        ))
        .hinted(Hint::text(format!("unset {NAME}")))),
    }
}
