//! `mcp`: the issues for agents.

use std::path::PathBuf;

use clap::Args;

use crate::cli::globals::{Globals, here};
use crate::cli::options::ids::lease;
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::mcp;
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Which tools: task, read, full, lazy or two
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The repository (default: the one around the current directory)
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Let each call name its repository
    #[arg(long)]
    multi_repo: bool,
    /// Folders that such repositories may lie in
    #[arg(long, value_name = "DIR", num_args = 1..)]
    root: Vec<PathBuf>,
    /// Let others take over what an agent has in progress that has done nothing for so long: 30m, 2h
    #[arg(long, value_name = "TIME", value_parser = lease)]
    lease: Option<u32>,
    /// Serve HTTP on this port of the loopback address
    #[cfg(feature = "http")]
    #[arg(long, value_name = "PORT", hide = true)]
    http: Option<u16>,
}

impl Verb for McpArgs {
    const NAME: &'static str = "mcp";
    const ABOUT: &'static str = "Serve the issues to agents (Model Context Protocol)";
    const GROUP: Group = Group::Other;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        mcp::serve(self.options(&cli.globals)?)?;
        Ok(Exit::OK)
    }
}

impl McpArgs {
    fn options(&self, global: &Globals) -> Result<mcp::Options> {
        let here = here()?;
        let repo = self
            .repo
            .as_ref()
            .or(global.dir.as_ref())
            .map(|dir| here.join(dir));
        Ok(mcp::Options {
            profile: self.profile.clone(),
            repo,
            multi_repo: self.multi_repo,
            roots: self.root.iter().map(|dir| here.join(dir)).collect(),
            actor: global.actor.clone(),
            lease: self.lease,
            #[cfg(feature = "http")]
            http: self.http,
        })
    }
}
