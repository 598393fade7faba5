//! One binary for all tests that drive the program.

#![expect(unreachable_pub, reason = "nothing leaves a test binary")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests may"
)]

mod cli;
mod docs;
mod fences;
mod format;
mod guest;
mod history;
mod hooks;
mod import;
mod index;
mod input;
mod look;
mod mcp;
mod page;
mod reliability;
mod setup;
mod shell;
mod store;
mod support;
mod sync;
mod terminal;

/// A file that no `mod` names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut folders = vec![(root.clone(), root.join("lib.rs"))];
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        if path.join("mod.rs").is_file() {
            folders.push((path.clone(), path.join("mod.rs")));
        }
    }
    assert!(folders.len() > 4);
    for (folder, index) in folders {
        let index = std::fs::read_to_string(index).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = name.strip_suffix(".rs") else {
                continue;
            };
            let known =
                matches!(module, "lib" | "mod") || index.contains(&format!("mod {module};"));
            assert!(known, "{}/{name} is in no `mod`", folder.display());
        }
    }
}
