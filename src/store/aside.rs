//! Commits that are made to be sent first.

use super::Oid;
use super::object::Object;

/// A commit that is written, with what it is made of, and that no ref leads to.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    pub(crate) tip: Oid,
    pub(super) objects: Vec<Object>,
    /// The commits below it whose objects it does not hold.
    pub(super) news: Vec<Oid>,
}

impl Aside {
    /// Returns it with what was made on top of it.
    pub(crate) fn then(mut self, next: Self) -> Self {
        self.objects.extend(next.objects);
        self.news.extend(next.news);
        Self {
            tip: next.tip,
            ..self
        }
    }
}
