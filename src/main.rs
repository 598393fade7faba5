//! The door: everything else is in the library.

use std::ffi::OsString;
use std::process::ExitCode;

use git_beads::cli;
use git_beads::env::Env;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(cli::run(&Env::of_process(), &args))
}
