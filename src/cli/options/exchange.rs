//! Options of an exchange with a remote.

use clap::Args;

use crate::ops::verbs::sync::Sync;

#[derive(Debug, Args)]
pub(in crate::cli) struct ExchangeOptions {
    /// The remote [default: as git would choose]
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// Print what would happen, change nothing
    #[arg(long)]
    dry_run: bool,
}

impl ExchangeOptions {
    /// Returns the request with these options.
    pub(in crate::cli) fn request(self, mut request: Sync) -> Sync {
        request.remote = self.remote;
        request.dry_run = self.dry_run;
        request
    }
}
