//! The same day in a repository with a reftable and in one with files: every answer is equal.

use super::reftable;
use crate::support::day::{day, morning};
use crate::support::refs_pinned;

#[test]
fn every_verb_says_what_it_says_with_refs_in_files() {
    let Some((_, _pinned)) = reftable() else {
        return;
    };
    let with = |format| {
        let _pinned = refs_pinned(format);
        let world = morning();
        day(&world, |args| world.bd(args))
    };
    for (files, table) in with("files").iter().zip(&with("reftable")) {
        assert_eq!(files, table);
    }
}
