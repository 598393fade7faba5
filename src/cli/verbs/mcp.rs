//! `mcp`: the issues for agents.

use std::path::PathBuf;

use clap::Args;

use crate::cli::globals::{Globals, here};
use crate::cli::options::ids::lease;
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::env::Env;
use crate::mcp;
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Tools to offer: task, read, full, lazy or two
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The repository (default: the one around the current directory)
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Let each call name its repository
    #[arg(long)]
    multi_repo: bool,
    /// Folders that these repositories must be in
    #[arg(long, value_name = "DIR", num_args = 1..)]
    root: Vec<PathBuf>,
    /// Let others take over the issues of an agent that was idle for this long: 30m, 2h
    #[arg(long, value_name = "TIME", value_parser = lease)]
    lease: Option<u32>,
    /// Serve HTTP on this port of the loopback address
    #[cfg(feature = "http")]
    #[arg(long, value_name = "PORT", hide = true)]
    http: Option<u16>,
}

impl Verb for McpArgs {
    const NAME: &'static str = "mcp";
    const ABOUT: &'static str = "Run the MCP server for agents (Model Context Protocol)";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"An agent starts it, once it is set up; by hand, with tools that only read:

$ git beads setup claude --write
$ git beads mcp --profile read </dev/null
";
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        mcp::serve(cli.env(), self.options(cli.env(), &cli.globals)?)?;
        Ok(Exit::OK)
    }
}

impl McpArgs {
    fn options(&self, env: &Env, global: &Globals) -> Result<mcp::Options> {
        let here = here(env)?;
        let repo = self
            .repo
            .as_ref()
            .or(global.dir.as_ref())
            .map(|dir| here.join(mcp::folder_of_argument(dir)));
        Ok(mcp::Options {
            profile: self.profile.clone(),
            repo,
            multi_repo: self.multi_repo,
            roots: self
                .root
                .iter()
                .map(|dir| here.join(mcp::folder_of_argument(dir)))
                .collect(),
            actor: global.actor.clone(),
            lease: self.lease,
            #[cfg(feature = "http")]
            http: self.http,
        })
    }
}
