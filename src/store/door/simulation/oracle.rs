//! What must hold after each step, and in the end.

use std::collections::BTreeSet;

use super::{World, never};
use crate::store::Oid;
use crate::store::door::{Arrival, Candidate, EntryOutcome, EntryRules, StateSource, enter};
use crate::store::known::Known;
use crate::store::reach::Reach;

impl World {
    /// Every write that was answered in a clone is there, or a person has taken it back, and it is named.
    pub(super) fn check(&mut self, site: usize) {
        let it = &self.sites[site];
        let Some(tip) = it.store.tip().unwrap() else {
            return assert!(it.answered.is_empty());
        };
        let reach = Reach::new(&it.store);
        let known = match it.checked {
            (Some(checked), known) if reach.has_operations_of(tip, checked) => known,
            _ => 0,
        };
        let writes = it.answered.iter().skip(known).copied();
        let lacked: Vec<Oid> = writes
            .filter(|write| !reach.has_operations_of(tip, *write))
            .collect();
        if lacked.is_empty() {
            self.sites[site].checked = (Some(tip), it.answered.len());
            return;
        }
        let left = it.store.set_back().all_left_out().unwrap();
        // What git has removed is in the journal.
        let contents = it.store.set_back().every_journal().unwrap();
        let overlaid = it.store.overlaid(Known::of(&contents).objects()).unwrap();
        let reach = Reach::new(&overlaid);
        for write in lacked {
            assert!(it.taken.contains(&write), "{write} is lost");
            let is_named = left
                .iter()
                .any(|left| reach.has_operations_of(left.tip, write));
            assert!(is_named, "{write} was taken back, and is not named");
        }
    }

    /// All bring back what people have taken, and exchange until they have one commit.
    pub(super) fn rest(&mut self) {
        for site in 0..self.sites.len() {
            self.open(site);
            let store = &self.sites[site].store;
            for left in store.set_back().all_left_out().unwrap() {
                let candidate = Candidate::of(left.tip, StateSource::Answered);
                let cancel = never();
                let arrivals = enter(store, vec![candidate], &EntryRules::usual(&cancel)).unwrap();
                let is_refused = |it: &Arrival| matches!(it.outcome, EntryOutcome::Refused(_));
                assert!(!arrivals.iter().any(is_refused), "{arrivals:?}");
            }
            self.sites[site].shown = self.tip(site);
        }
        let mut tips = BTreeSet::new();
        for round in 0..4 {
            let before: Vec<_> = (0..self.sites.len()).map(|site| self.tip(site)).collect();
            for site in 0..self.sites.len() {
                self.exchange(site, 0, true);
                self.exchange(site, 1, true);
            }
            tips = (0..self.sites.len()).map(|site| self.tip(site)).collect();
            let after: Vec<_> = (0..self.sites.len()).map(|site| self.tip(site)).collect();
            assert!(round < 3 || before == after, "a fourth round moves a ref");
        }
        assert_eq!(tips.len(), 1, "they differ in the end");
        for site in 0..self.sites.len() {
            let tip = self.tip(site).unwrap();
            for write in self.sites[site].answered.clone() {
                assert!(self.has(site, tip, write), "{write} is lost in the end");
            }
        }
    }
}
