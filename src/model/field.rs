//! The fields of an issue that people write, in one table.
//!
//! What is done with each field alike (reading, checking and writing a text, order, the JSONL of
//! other trackers) goes by this table. Where a field needs its own name (the answers, the options of
//! the command line) there is a match over [`Field`] that has no arm for the rest, so that a new
//! field does not compile before it is said there too.

use std::ops::{Index, IndexMut};

/// A field that an update can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Title,
    Description,
    Design,
    Acceptance,
    Notes,
    ExternalRef,
    Type,
    Priority,
    Assignee,
    Due,
    Defer,
    Labels,
    Parent,
    Status,
}

/// The names of a field and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    /// Name of the register or set, and of the member in answers.
    pub(crate) key: &'static str,
    /// Key in the JSONL of bd.
    pub(crate) bd: &'static str,
    pub(crate) kind: FieldKind,
    /// Place among all that `show` tells of an issue.
    pub(crate) rank: u8,
}

/// The way in which a field is read from a text, checked and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// One line, never empty.
    Title,
    /// A text whose lost values only an explicit choice settles.
    LongText,
    ShortText,
    /// A short word, in lower case where it is a known one.
    Word,
    Priority,
    /// The name of an actor.
    Name,
    Date,
    /// A set, separated by commas.
    Labels,
    /// The id of another issue.
    Parent,
    /// A word with a reason.
    Status,
}

impl Field {
    /// All fields, in the order in which an update writes them.
    pub(crate) const ALL: [Self; 14] = [
        Self::Title,
        Self::Description,
        Self::Design,
        Self::Acceptance,
        Self::Notes,
        Self::ExternalRef,
        Self::Type,
        Self::Priority,
        Self::Assignee,
        Self::Due,
        Self::Defer,
        Self::Labels,
        Self::Parent,
        Self::Status,
    ];

    /// Returns its line of the table.
    pub(crate) const fn spec(self) -> FieldSpec {
        use FieldKind as Kind;
        match self {
            Self::Title => spec("title", "title", Kind::Title, 1),
            Self::Description => spec("description", "description", Kind::LongText, 15),
            Self::Design => spec("design", "design", Kind::LongText, 16),
            Self::Acceptance => spec("acceptance", "acceptance_criteria", Kind::LongText, 17),
            Self::Notes => spec("notes", "notes", Kind::LongText, 18),
            Self::ExternalRef => spec("external_ref", "external_ref", Kind::ShortText, 13),
            Self::Type => spec("type", "issue_type", Kind::Word, 6),
            Self::Priority => spec("priority", "priority", Kind::Priority, 5),
            Self::Assignee => spec("assignee", "assignee", Kind::Name, 7),
            Self::Due => spec("due", "due_at", Kind::Date, 11),
            Self::Defer => spec("defer", "defer_until", Kind::Date, 12),
            Self::Labels => spec("labels", "labels", Kind::Labels, 8),
            Self::Parent => spec("parent", "parent", Kind::Parent, 9),
            Self::Status => spec("status", "status", Kind::Status, 2),
        }
    }

    /// Returns the name of its register or set.
    pub(crate) const fn key(self) -> &'static str {
        self.spec().key
    }

    pub(crate) const fn kind(self) -> FieldKind {
        self.spec().kind
    }

    /// Returns the field of a register or set.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.key() == key)
    }

    /// Returns the field of a key in the JSONL of bd.
    pub(crate) fn from_bd(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.spec().bd == key)
    }

    /// Returns the fields of long texts.
    pub(crate) fn long_texts() -> impl Iterator<Item = Self> {
        let is_long = |field: &Self| field.kind() == FieldKind::LongText;
        Self::ALL.into_iter().filter(is_long)
    }
}

const fn spec(key: &'static str, bd: &'static str, kind: FieldKind, rank: u8) -> FieldSpec {
    FieldSpec {
        key,
        bd,
        kind,
        rank,
    }
}

// `FieldMap` finds the place of a field by its number.
const _: () = {
    let mut i = 0;
    while i < Field::ALL.len() {
        assert!(Field::ALL[i] as usize == i, "Field::ALL is out of order");
        i += 1;
    }
};

/// A value for each field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldMap<T>([T; Field::ALL.len()]);

impl<T> FieldMap<T> {
    /// Returns each field with its value, in the order of [`Field::ALL`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Field, &T)> {
        Field::ALL.into_iter().zip(&self.0)
    }
}

impl<T> FieldMap<Option<T>> {
    /// Returns whether no field has a value.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl<T> Index<Field> for FieldMap<T> {
    type Output = T;

    fn index(&self, field: Field) -> &T {
        &self.0[field as usize]
    }
}

impl<T> IndexMut<Field> for FieldMap<T> {
    fn index_mut(&mut self, field: Field) -> &mut T {
        &mut self.0[field as usize]
    }
}

impl<T: Default> FromIterator<(Field, T)> for FieldMap<T> {
    fn from_iter<I: IntoIterator<Item = (Field, T)>>(values: I) -> Self {
        let mut map = Self::default();
        for (field, value) in values {
            map[field] = value;
        }
        map
    }
}

impl<T: Default, const N: usize> From<[(Field, T); N]> for FieldMap<T> {
    fn from(values: [(Field, T); N]) -> Self {
        values.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn all_holds_every_field() {
        let source = include_str!("field.rs");
        let rest = source.split_once("enum Field {").unwrap().1;
        let variants = rest.split_once('}').unwrap().0;
        let variants: Vec<&str> = variants
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(variants, Field::ALL.map(|field| format!("{field:?}")));
    }

    #[test]
    fn names_and_ranks_are_unique() {
        let specs = Field::ALL.map(Field::spec);
        let count = |values: BTreeSet<String>| values.len();
        let all = Field::ALL.len();
        assert_eq!(count(specs.iter().map(|it| it.key.into()).collect()), all);
        assert_eq!(count(specs.iter().map(|it| it.bd.into()).collect()), all);
        assert_eq!(
            count(specs.iter().map(|it| it.rank.to_string()).collect()),
            all
        );
    }

    #[test]
    fn a_name_leads_back_to_its_field() {
        for field in Field::ALL {
            assert_eq!(Field::from_key(field.key()), Some(field));
            assert_eq!(Field::from_bd(field.spec().bd), Some(field));
        }
        assert_eq!(Field::from_key("deps"), None);
        assert_eq!(Field::from_bd("due"), None);
    }

    proptest! {
        #[test]
        fn a_map_has_the_last_value_of_each_field(
            writes in vec((select(&Field::ALL[..]), any::<Option<u8>>()), 0..40)
        ) {
            let map: FieldMap<Option<u8>> = writes.iter().copied().collect();
            for field in Field::ALL {
                let last = writes.iter().rev().find(|(written, _)| *written == field);
                prop_assert_eq!(map[field], last.and_then(|(_, value)| *value));
            }
            prop_assert!(map.iter().map(|(field, _)| field).eq(Field::ALL));
            prop_assert_eq!(map.is_empty(), map.iter().all(|(_, value)| value.is_none()));
        }
    }
}
