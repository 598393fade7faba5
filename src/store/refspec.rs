//! Refspecs of the user, matched as `git fetch` matches them.

/// Returns true if a `git fetch` with these refspecs may set a ref to what the remote has: one of them is forced
/// and leads there, and no negative one takes its source out.
pub(super) fn overwrites(refspecs: &[String], reference: &str) -> bool {
    let excluded: Vec<&str> = refspecs
        .iter()
        .filter_map(|refspec| refspec.strip_prefix('^'))
        .collect();
    refspecs.iter().any(|refspec| {
        let pair = refspec.strip_prefix('+').and_then(|it| it.split_once(':'));
        let source = pair.and_then(|(from, to)| {
            let part = part_of(to, reference)?;
            Some(from.replacen('*', part, 1))
        });
        source.is_some_and(|source| {
            let out = |pattern: &&str| part_of(pattern, &source).is_some();
            !excluded.iter().any(out)
        })
    })
}

/// Returns the part of a name that the asterisk of a pattern matches; without one a pattern is a name.
fn part_of<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        None => (pattern == name).then_some(""),
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
    }
}

#[cfg(test)]
mod tests {
    use super::{overwrites, part_of};

    #[test]
    fn an_asterisk_stands_for_the_rest_of_a_name() {
        for (pattern, name, part) in [
            ("refs/*", "refs/beads/main", Some("beads/main")),
            ("refs/b*main", "refs/beads/main", Some("eads/")),
            ("*", "refs/beads/main", Some("refs/beads/main")),
            ("refs/beads/main", "refs/beads/main", Some("")),
            ("refs/beads/main*", "refs/beads/main", Some("")),
            ("refs/beads/m*main", "refs/beads/main", None),
            ("refs/beads", "refs/beads/main", None),
        ] {
            assert_eq!(part_of(pattern, name), part, "{pattern}");
        }
    }

    #[test]
    fn a_negative_line_counts_wherever_it_stands() {
        let lines = ["^refs/beads/main", "+refs/*:refs/*"].map(str::to_owned);
        assert!(!overwrites(&lines, "refs/beads/main"));
        assert!(overwrites(&lines[1..], "refs/beads/main"));
    }
}
