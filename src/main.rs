//! The door: everything else is in the library.

fn main() -> std::process::ExitCode {
    git_beads::cli::run(&git_beads::env::args())
}
