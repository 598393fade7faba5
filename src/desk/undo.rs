//! The acts of a desk in order of time over all its repositories: what undo takes back, and what redo brings back. Nothing else
//! is on the list: no work of an agent, and nothing that was done elsewhere.

/// Commits of the desk that are known as its own; an act follows few of them unseen.
const MOST_KNOWN: usize = 200;

/// A commit of this desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepoCommit {
    pub(crate) repo: String,
    pub(crate) commit: String,
}

/// An act as one person sees it: a commit in each repository that it was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeskAct {
    pub(crate) commits: Vec<RepoCommit>,
    pub(crate) said: String,
}

/// The acts of a desk that are in effect, and those that were undone since the last of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoList {
    /// With the commits that an undo has to name.
    done: Vec<DeskAct>,
    /// With the commits of their undo, which a redo has to name.
    undone: Vec<DeskAct>,
    known: Vec<RepoCommit>,
}

impl UndoList {
    /// Adds an act; what was undone before can't be redone any more.
    pub(crate) fn add(&mut self, act: DeskAct) {
        self.undone.clear();
        self.put_done(act);
    }

    /// Returns whether there is an act to take back.
    pub(crate) fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Returns the newest act.
    pub(crate) fn newest(&self) -> Option<&DeskAct> {
        self.done.last()
    }

    /// Takes the newest act off the list, to undo each of its commits; then one of the `put` functions is called, or both
    /// where only some of its repositories took it.
    pub(crate) fn take_done(&mut self) -> Option<DeskAct> {
        self.done.pop()
    }

    /// Takes what was undone last, to undo each commit of that undo.
    pub(crate) fn take_undone(&mut self) -> Option<DeskAct> {
        self.undone.pop()
    }

    /// Puts an act on the list as the newest: it is in effect, by these commits.
    pub(crate) fn put_done(&mut self, act: DeskAct) {
        self.note(&act);
        self.done.push(act);
    }

    /// Puts an act among those that were undone, by these commits.
    pub(crate) fn put_undone(&mut self, act: DeskAct) {
        self.note(&act);
        self.undone.push(act);
    }

    /// Returns the commits of this desk in a repository, after which its acts may follow unseen.
    pub(crate) fn commits_of(&self, repo: &str) -> Vec<String> {
        let own = self.known.iter().filter(|known| known.repo == repo);
        own.map(|known| known.commit.clone()).collect()
    }

    fn note(&mut self, act: &DeskAct) {
        for commit in &act.commits {
            if !self.known.contains(commit) {
                self.known.push(commit.clone());
            }
        }
        let past = self.known.len().saturating_sub(MOST_KNOWN);
        self.known.drain(..past);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Repositories in which each commit adds a number, or takes back what another has done.
    #[derive(Default)]
    struct Town {
        list: UndoList,
        /// What each commit has added to the sum of its repository.
        commits: Vec<(String, i64)>,
        sums: BTreeMap<String, i64>,
    }

    impl Town {
        fn commit(&mut self, repo: &str, adds: i64) -> RepoCommit {
            *self.sums.entry(repo.to_owned()).or_default() += adds;
            self.commits.push((repo.to_owned(), adds));
            let commit = (self.commits.len() - 1).to_string();
            let repo = repo.to_owned();
            RepoCommit { repo, commit }
        }

        fn act(&mut self, repos: &[usize], adds: i64) {
            let each = repos
                .iter()
                .map(|repo| self.commit(&repo.to_string(), adds));
            let commits: Vec<RepoCommit> = each.collect();
            let said = adds.to_string();
            self.list.add(DeskAct { commits, said });
        }

        /// Takes back what the commits of an act have done, as `git beads undo COMMIT` does.
        fn revert(&mut self, act: &DeskAct) -> DeskAct {
            let mut commits = Vec::new();
            for known in &act.commits {
                let (repo, adds) = self.commits[known.commit.parse::<usize>().unwrap()].clone();
                commits.push(self.commit(&repo, -adds));
            }
            let said = act.said.clone();
            DeskAct { commits, said }
        }
    }

    #[derive(Clone, Debug)]
    enum Happens {
        Act(Vec<usize>, i64),
        Undo,
        Redo,
        /// Another desk, or an agent.
        Other(usize, i64),
    }

    fn happens() -> impl Strategy<Value = Happens> {
        let repos = proptest::collection::btree_set(0..3usize, 1..3);
        prop_oneof![
            3 => (repos, 1..100i64).prop_map(|(repos, n)| Happens::Act(repos.into_iter().collect(), n)),
            3 => Just(Happens::Undo),
            2 => Just(Happens::Redo),
            1 => (0..3usize, 1..100i64).prop_map(|(repo, n)| Happens::Other(repo, n)),
        ]
    }

    proptest! {
        #[test]
        fn what_is_in_effect_is_what_was_done_and_not_undone(steps in proptest::collection::vec(happens(), 0..60)) {
            let mut town = Town::default();
            // The acts so far, and how many of them are in effect; the rest can be redone.
            let (mut acts, mut effective) = (Vec::<(Vec<usize>, i64)>::new(), 0);
            let mut others = BTreeMap::<String, i64>::new();
            for step in steps {
                match step {
                    Happens::Act(repos, adds) => {
                        town.act(&repos, adds);
                        acts.truncate(effective);
                        acts.push((repos, adds));
                        effective += 1;
                    }
                    Happens::Undo => {
                        let taken = town.list.take_done();
                        prop_assert_eq!(taken.is_some(), effective > 0);
                        if let Some(taken) = taken {
                            let undo = town.revert(&taken);
                            town.list.put_undone(undo);
                            effective -= 1;
                        }
                    }
                    Happens::Redo => {
                        let taken = town.list.take_undone();
                        prop_assert_eq!(taken.is_some(), effective < acts.len());
                        if let Some(taken) = taken {
                            prop_assert_eq!(&taken.said, &acts[effective].1.to_string());
                            let redo = town.revert(&taken);
                            town.list.put_done(redo);
                            effective += 1;
                        }
                    }
                    Happens::Other(repo, adds) => {
                        let made = town.commit(&repo.to_string(), adds);
                        *others.entry(repo.to_string()).or_default() += adds;
                        prop_assert!(!town.list.commits_of(&made.repo).contains(&made.commit));
                    }
                }
                for repo in ["0", "1", "2"] {
                    let own = acts[..effective].iter();
                    let own = own.filter(|(repos, _)| repos.contains(&repo.parse().unwrap()));
                    let sum: i64 = own.map(|(_, adds)| adds).sum();
                    let other = others.get(repo).copied().unwrap_or_default();
                    prop_assert_eq!(town.sums.get(repo).copied().unwrap_or_default(), sum + other);
                }
            }
        }
    }

    #[test]
    fn known_commits_are_few() {
        let mut town = Town::default();
        for n in 0..300 {
            town.act(&[0], n);
        }
        let known = town.list.commits_of("0");
        assert_eq!(known.len(), MOST_KNOWN);
        assert_eq!(known.last().map(String::as_str), Some("299"));
        assert!(town.list.commits_of("1").is_empty());
    }
}
