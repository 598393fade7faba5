//! What people and models read is plain English: some words are in no document, no help, no message and no page.

use std::path::{Path, PathBuf};

/// Words that are not used.
const NOT: [&str; 20] = [
    "mend",
    "mends",
    "mended",
    "mending",
    "anew",
    "bears",
    "whoever",
    "nobody",
    "somebody",
    "in step",
    "lies",
    "stands",
    "unasked",
    "dearer",
    "begun apart",
    "the word of",
    "takes over",
    "gives way",
    "give way",
    "gave way",
];
/// Where such a word is right: it is said of claims, or names a thing of others.
const BUT: [&str; 2] = ["stands for", "stands in for"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files below a folder with one of some endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings
            .iter()
            .any(|end| path.extension().is_some_and(|it| it == *end))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the texts between double quotes in the source of a program, without comments and tests.
fn literals(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let lines = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: Vec<&str> = lines.collect();
    let code = code.join("\n").replace("'\"'", "").replace("\\\"", "'");
    let texts: Vec<&str> = code.split('"').skip(1).step_by(2).collect();
    texts.join("\n")
}

/// Returns the words of a text that are not used, each with what is around it.
fn wrong(text: &str) -> Vec<String> {
    let mut text = text.to_lowercase().replace("\\\n", " ");
    for right in BUT {
        text = text.replace(right, "");
    }
    let is_letter =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let mut found = Vec::new();
    for word in NOT {
        for (at, _) in text.match_indices(word) {
            let (before, after) = (
                text[..at].chars().next_back(),
                text[at + word.len()..].chars().next(),
            );
            if !is_letter(before) && !is_letter(after) {
                let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                found.push(format!("{word}: {}", &text[line..end]));
            }
        }
    }
    found
}

#[test]
fn documents_are_in_plain_words() {
    let mut all = files(&root().join("docs"), &["md"]);
    all.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        // The list itself.
        let text = text.split("\n## Glossary").next().unwrap();
        let wrong = wrong(text);
        assert!(wrong.is_empty(), "{}: {wrong:#?}", path.display());
    }
}

#[test]
fn messages_and_help_are_in_plain_words() {
    let mut found = Vec::new();
    let is_test = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "tests");
    let sources = files(&root().join("src"), &["rs"]);
    for path in sources.into_iter().filter(|path| !is_test(path)) {
        let texts = literals(&std::fs::read_to_string(&path).unwrap());
        let wrong = wrong(&texts);
        found.extend(
            wrong
                .into_iter()
                .map(|line| format!("{}: {line}", path.display())),
        );
    }
    for path in files(&root().join("src"), &["txt", "md", "js", "html"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let is_comment = |line: &&str| {
            ["//", "/*", "*"]
                .iter()
                .any(|it| line.trim_start().starts_with(it))
        };
        let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
        let wrong = wrong(&lines.join("\n"));
        found.extend(
            wrong
                .into_iter()
                .map(|line| format!("{}: {line}", path.display())),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_word_is_found_where_it_is_a_word() {
    assert_eq!(wrong("it mends\nand recommends"), ["mends: it mends"]);
    assert_eq!(wrong("`*` stands for all"), Vec::<String>::new());
    assert_eq!(
        literals("let x = \"a b\"; // \"c\"\n// \"d\"\ncall(\"e\")")
            .lines()
            .next(),
        Some("a b")
    );
}
