//! One binary for all tests that drive the program.

#![expect(unreachable_pub, reason = "nothing leaves a test binary")]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stderr, reason = "tests may")]

mod cli;
mod docs;
mod fences;
mod format;
mod import;
mod support;

/// A file that no `mod` names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let folders =
        [("tests", "tests/lib.rs"), ("tests/cli", "tests/cli/mod.rs"), ("tests/import", "tests/import/mod.rs")];
    for (folder, index) in folders {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let index = std::fs::read_to_string(root.join(index)).unwrap();
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = name.strip_suffix(".rs") else { continue };
            let known = matches!(module, "lib" | "mod") || index.contains(&format!("mod {module};"));
            assert!(known, "{folder}/{name} is in no `mod`");
        }
    }
}
