//! The objects of the journals over those of the repository, in memory alone.

use super::{RefOrigin, Why};
use crate::store::known::Known;
use crate::store::object::Object;
use crate::store::reach::Reach;
use crate::store::{Result, Store, journal};

impl Store {
    /// Returns the same repository with objects over its own: they are read first, and nothing is written.
    pub(in crate::store) fn overlaid<'j>(
        &self,
        objects: impl Iterator<Item = &'j Object>,
    ) -> Result<Self> {
        let mut storage = gix::odb::memory::Storage::default();
        for object in objects {
            storage.insert(object.id, (object.kind, object.bytes.clone()));
        }
        let mut store = Self::from_repo(self.repo.clone(), &self.location)?;
        store.repo.objects.set_object_memory(storage);
        store.intent.set(self.intent.get());
        Ok(store)
    }
}

/// Returns the repository at the newest state of the journals, which none has applied since a power cut, where this process
/// can't: what was answered is answered again. Costs a look where all is applied.
pub(crate) fn unapplied(store: &Store) -> Option<Store> {
    if store.replay().is_settled() {
        return None;
    }
    let contents = journal::all(store.env(), &store.folder()).ok()?;
    let (known, ours) = (Known::of(&contents), store.tip().ok()??);
    let newest = known.newest()?;
    if !known.names(ours) {
        return None;
    }
    let mut overlaid = store.overlaid(known.objects()).ok()?;
    let reach = Reach::new(&overlaid);
    let origin = RefOrigin::of(store, &reach, ours).elsewhere(!contents.here);
    if origin.why(newest) != Why::Crash {
        return None;
    }
    overlaid.journal_tip = Some(newest);
    Some(overlaid)
}
