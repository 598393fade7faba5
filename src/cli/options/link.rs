//! An issue and what it is linked to.

use clap::Args;

use crate::ops::verbs::dep::Dep;

#[derive(Debug, Args)]
pub(in crate::cli) struct LinkOptions {
    /// The blocked issue
    id: String,
    /// Issues that block it
    #[arg(value_name = "ON")]
    others: Vec<String>,
    /// Issues that block it
    #[arg(long, value_name = "ID", num_args = 1..)]
    on: Vec<String>,
    /// blocks, related, discovered-from, ... [default: blocks]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    dep_type: Option<String>,
}

impl LinkOptions {
    /// Returns the request to add or remove these dependencies.
    pub(in crate::cli) fn request(self) -> Dep {
        Dep {
            id: self.id,
            on: self.on.into_iter().chain(self.others).collect(),
            kind: self.dep_type,
        }
    }
}
