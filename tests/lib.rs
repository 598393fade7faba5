//! One binary for all tests that drive the program.

#![cfg_attr(
    target_os = "linux",
    expect(unreachable_pub, reason = "nothing leaves a test binary")
)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests may"
)]

mod everywhere;

// The world of the others is made of what Linux has: links, scripts, `/proc`. The source is the same everywhere.
#[cfg(target_os = "linux")]
mod clients;
#[cfg(target_os = "linux")]
mod docs;
#[cfg(target_os = "linux")]
mod fences;
#[cfg(target_os = "linux")]
mod format;
#[cfg(target_os = "linux")]
mod properties;
#[cfg(target_os = "linux")]
mod support;
#[cfg(target_os = "linux")]
mod verbs;
#[cfg(target_os = "linux")]
mod words;

/// A file that no `mod` names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut indexes = vec![(root.clone(), root.join("lib.rs"))];
    let mut seen = 0;
    while let Some((folder, index)) = indexes.pop() {
        seen += 1;
        let index = std::fs::read_to_string(index).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let (module, own) = match name.strip_suffix(".rs") {
                Some("lib" | "mod") => continue,
                Some(module) => (module, path.clone()),
                None if path.join("mod.rs").is_file() => (name, path.join("mod.rs")),
                None => continue,
            };
            assert!(
                index.contains(&format!("mod {module};")),
                "{} is in no `mod`",
                path.display()
            );
            let below = path.with_extension("");
            if below.is_dir() {
                indexes.push((below, own));
            }
        }
    }
    assert!(seen > 4);
}
