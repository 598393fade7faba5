//! The source as the fences see it: files without tests, comments and literals, and which of them names which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names from the crate's root: `["store", "journal"]`.
pub type Module = Vec<String>;
/// The modules that each module names.
pub type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// A file below `src`.
pub struct Source {
    /// Its path below `src`.
    pub path: String,
    /// Its text without tests and comments; a literal is an `S`.
    pub code: String,
    /// Its literals, without those of its tests, as they are written.
    pub literals: Vec<String>,
}

impl Source {
    /// Returns the first folder below `src`, or the file there.
    pub fn layer(&self) -> &str {
        let first = self.path.split('/').next().unwrap();
        first.trim_end_matches(".rs")
    }

    fn module(&self) -> Module {
        let stem = self.path.trim_end_matches(".rs");
        let mut parts: Module = stem.split('/').map(str::to_owned).collect();
        parts.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
        parts
    }

    /// Returns the `use` declarations, each with whether it is public, and the code without them.
    fn uses(&self) -> (Vec<(bool, Module, String)>, String) {
        let (mut found, mut others, mut from) = (Vec::new(), String::new(), 0);
        for (at, _) in self.code.match_indices("use ") {
            let before = self.code[..at].trim_end();
            let public = before.ends_with("pub") || before.ends_with(')');
            if at < from
                || (!public && !before.is_empty() && !before.ends_with([';', '{', '}', ']']))
            {
                continue;
            }
            let tree = self.code[at + 4..].split(';').next().unwrap();
            others.push_str(&self.code[from..at]);
            from = at + 4 + tree.len();
            let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ");
            for path in expand(&tree) {
                let (path, name) = path.split_once(" as ").unwrap_or((&path, ""));
                let path = segments(path);
                let last = path.last().cloned().unwrap_or_default();
                let name = if name.is_empty() {
                    last
                } else {
                    name.to_owned()
                };
                found.push((public, path, name));
            }
        }
        others.push_str(&self.code[from..]);
        (found, others)
    }

    /// Returns all paths that the module names itself, and does not hand on: imported ones and those within the code.
    pub fn paths(&self) -> Vec<Module> {
        let (uses, others) = self.uses();
        let private = uses.into_iter().filter(|(public, ..)| !public);
        let mut found: Vec<Module> = private.map(|(_, path, _)| path).collect();
        for start in ["crate::", "super::"] {
            for (at, _) in others.match_indices(start) {
                if !others[..at].ends_with(|c: char| is_word(c) || c == ':') {
                    let end = others[at..].find(|c: char| !is_word(c) && c != ':');
                    let end = end.map_or(others.len(), |end| at + end);
                    found.push(segments(&others[at..end]));
                }
            }
        }
        found.retain(|path| !path.is_empty());
        found
    }

    /// Returns the layers of this crate that it names, in re-exports too.
    pub fn layers(&self) -> BTreeSet<String> {
        let public = self.uses().0.into_iter().map(|(_, path, _)| path);
        let paths = self.paths().into_iter().chain(public);
        let into = paths.filter(|path| path[0] == "crate" && path.len() > 1);
        let names = into.map(|path| path[1].clone());
        names
            .filter(|name| name.starts_with(char::is_lowercase))
            .collect()
    }

    /// Says whether the code names a library.
    pub fn names(&self, library: &str) -> bool {
        self.code.match_indices(library).any(|(at, _)| {
            let after = &self.code[at + library.len()..];
            !self.code[..at].ends_with(|c: char| is_word(c) || c == ':') && after.starts_with("::")
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn segments(path: &str) -> Module {
    let parts = path.split("::").map(str::trim);
    parts
        .filter(|part| !part.is_empty() && *part != "*")
        .map(str::to_owned)
        .collect()
}

/// Returns the paths of a `use` tree.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let (Some(open), Some(close)) = (tree.find('{'), tree.rfind('}')) else {
        return vec![tree.to_owned()];
    };
    let (head, mut depth, mut parts) = (&tree[..open], 0, vec![String::new()]);
    for c in tree[open + 1..close].chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().unwrap().push(c),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| expand(&format!("{head}{}", part.trim())))
        .collect()
}

/// Returns the text without comments, in which a literal is an `S`, and the literals.
fn without_comments(text: &str) -> (String, Vec<String>) {
    let (mut code, mut rest, mut literals) = (String::new(), text, Vec::new());
    while let Some(c) = rest.chars().next() {
        let in_word = code.ends_with(is_word);
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => quoted(rest),
            'r' | 'b' if !in_word => raw(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if skipped == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.push_str(if c == '/' { " " } else { "S" });
            literals.extend((c != '/').then(|| rest[..skipped].to_owned()));
            rest = &rest[skipped..];
        }
    }
    (code, literals)
}

/// Returns the length of the string that a text begins with.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Returns the length of the raw string that a text begins with; 0 where it begins with a name.
fn raw(text: &str) -> usize {
    let opening = text.trim_start_matches('b').trim_start_matches('r');
    let hashes = opening.len() - opening.trim_start_matches('#').len();
    let is_raw = text.starts_with('r') || text.starts_with("br");
    if !is_raw || !opening[hashes..].starts_with('"') {
        return 0;
    }
    let start = text.len() - opening.len() + hashes + 1;
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = text[start..].find(&closing);
    end.map_or(text.len(), |end| start + end + closing.len())
}

/// Returns the length of the character that a text begins with; 0 where it begins with a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text[1..].chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some(c)) => {
            let from = 2 + c.len_utf8();
            text[from..]
                .find('\'')
                .map_or(text.len(), |end| from + end + 1)
        }
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 0,
    }
}

/// Returns where the bracket that opens first is closed.
fn closing(code: &str, [open, close]: [char; 2]) -> usize {
    let mut depth = 0;
    let end = code.find(|c| {
        depth += i32::from(c == open) - i32::from(c == close);
        c == close && depth == 0
    });
    end.map_or(code.len(), |end| end + 1)
}

/// Cuts the test modules out of a file; returns the names of those that have files of their own.
fn cut_tests(code: &mut String) -> Vec<String> {
    let mut names = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("#[cfg(").map(|at| from + at) {
        from = at + 1;
        let condition = &code[at + "#[cfg(".len()..];
        if !condition.starts_with("test") && !condition.starts_with("all(test") {
            continue;
        }
        let mut rest = &code[at..];
        while rest.starts_with("#[") {
            rest = rest[closing(rest, ['[', ']'])..].trim_start();
        }
        let visible = rest.starts_with("pub");
        let module = rest.split_once("mod ").filter(|(before, _)| {
            before.is_empty() || (visible && !before.contains([';', '{', '}', '=']))
        });
        let Some((_, module)) = module else { continue };
        let end = module.find(|c| !is_word(c)).unwrap_or(module.len());
        let name = module[..end].to_owned();
        let after = module[end..].trim_start();
        if after.starts_with(';') {
            names.push(name);
        } else {
            let start = code.len() - after.len();
            let end = start + closing(after, ['{', '}']);
            code.replace_range(at..end, "");
        }
    }
    names
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Reads all files below `src`, without those that hold tests.
pub fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut paths, mut sources, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    files(&root, &mut paths);
    for file in paths {
        let path = file
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let untested = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let (_, literals) = without_comments(untested);
        let (mut code, _) = without_comments(&text);
        let names = cut_tests(&mut code);
        let source = Source {
            path,
            code,
            literals,
        };
        for name in names {
            let mut module = source.module();
            module.push(name);
            tests.push(module);
        }
        sources.push(source);
    }
    sources.retain(|source| !tests.iter().any(|test| source.module().starts_with(test)));
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(sources.len() > 100);
    sources
}

/// Follows a path through modules and re-exports to the module that it ends in.
fn resolve(
    module: &Module,
    path: &Module,
    exported: &BTreeMap<Module, BTreeMap<String, Module>>,
) -> Option<Module> {
    let mut path = path.as_slice();
    let below =
        |module: &Module, name: &String| [module.as_slice(), std::slice::from_ref(name)].concat();
    let mut here = match path[0].as_str() {
        "crate" => Vec::new(),
        "super" | "self" => module.clone(),
        _ if exported.contains_key(&below(module, &path[0])) => module.clone(),
        _ => return None,
    };
    while let Some(step) = path
        .first()
        .filter(|step| matches!(step.as_str(), "crate" | "super" | "self"))
    {
        if step == "super" {
            here.pop();
        }
        path = &path[1..];
    }
    let mut path = path.to_vec();
    // A re-export leads to another at most so often.
    for _ in 0..8 {
        while let Some(deeper) = path
            .first()
            .map(|name| below(&here, name))
            .filter(|module| exported.contains_key(module))
        {
            here = deeper;
            path.remove(0);
        }
        let target = path.first().and_then(|name| exported.get(&here)?.get(name));
        let Some(target) = target else { break };
        let (base, rest) = match target[0].as_str() {
            "super" => (here[..here.len() - 1].to_vec(), &target[1..]),
            "crate" => (Vec::new(), &target[1..]),
            _ => (here.clone(), &target[..]),
        };
        let leads_on = rest
            .first()
            .is_some_and(|name| exported.contains_key(&below(&base, name)));
        if base == here && !leads_on {
            break;
        }
        path = [rest, &path[1..]].concat();
        here = base;
    }
    Some(here)
}

/// Returns which module names which; a module and those above and below it are one.
pub fn graph(sources: &[Source]) -> Graph {
    let mut exported: BTreeMap<Module, BTreeMap<String, Module>> = BTreeMap::new();
    for source in sources {
        let uses = source
            .uses()
            .0
            .into_iter()
            .filter(|(public, path, _)| *public && !path.is_empty());
        let without_self = |path: Module| path.into_iter().filter(|part| part != "self").collect();
        let names = uses.map(|(_, path, name)| (name, without_self(path)));
        exported.entry(source.module()).or_default().extend(names);
    }
    let mut graph = Graph::new();
    for source in sources {
        let module = source.module();
        let private: BTreeSet<Module> = source.paths().into_iter().collect();
        let found = private
            .iter()
            .filter_map(|path| resolve(&module, path, &exported));
        let others = found.filter(|other| {
            exported.contains_key(other)
                && !other.starts_with(&module)
                && !module.starts_with(other)
        });
        graph.insert(module.clone(), others.collect());
    }
    graph
}

/// Returns the sets of modules that name each other, by whatever way round, each in order.
pub fn circles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reached = |from: &Module| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = left.pop() {
            for other in &graph[&module] {
                if seen.insert(other.clone()) {
                    left.push(other.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = graph
        .keys()
        .map(|module| (module, reached(module)))
        .collect();
    let circle = |module: &&Module| {
        let others = reach[module]
            .iter()
            .filter(|other| reach[other].contains(*module));
        others
            .map(|other| other.join("/"))
            .collect::<BTreeSet<String>>()
    };
    graph
        .keys()
        .map(|module| circle(&module))
        .filter(|circle| circle.len() > 1)
        .collect()
}
