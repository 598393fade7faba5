//! The orders of lists, and of the groups in them.

use crate::model::query::Grouping;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Priority, then oldest first.
    #[default]
    Priority,
    Created,
    Oldest,
    Updated,
    Closed,
    /// Due first; those without a date last.
    Due,
    Id,
    Title,
    /// As the search ranks them.
    Rank,
    PriorityReversed,
    UpdatedReversed,
    ClosedReversed,
    /// Due last; those without a date last, too.
    DueReversed,
    IdReversed,
    TitleReversed,
    RankReversed,
}

impl Order {
    /// Returns the SQL of an order. Of issues with the same id the older comes first; the default
    /// order, which the indexes hold, leaves those alike in priority and time as well to their
    /// rows.
    pub(super) fn clause(self) -> &'static str {
        match self {
            Self::Priority => " ORDER BY issue.priority, issue.created, issue.id",
            Self::PriorityReversed => {
                " ORDER BY issue.priority DESC, issue.created DESC, issue.id DESC"
            }
            // Of what no words rank, what has ended comes last.
            Self::Rank => " ORDER BY issue.done, issue.priority, issue.created, issue.id",
            Self::RankReversed => {
                " ORDER BY issue.done DESC, issue.priority DESC, issue.created DESC, issue.id DESC"
            }
            Self::Created => " ORDER BY issue.created DESC, issue.id, issue.uid",
            Self::Oldest => " ORDER BY issue.created, issue.id, issue.uid",
            Self::Updated => " ORDER BY issue.updated DESC, issue.id, issue.uid",
            Self::Closed => " ORDER BY issue.closed DESC, issue.id, issue.uid",
            Self::Id => " ORDER BY issue.id, issue.uid",
            Self::Title => " ORDER BY issue.title, issue.id, issue.uid",
            Self::UpdatedReversed => " ORDER BY issue.updated, issue.id, issue.uid",
            Self::ClosedReversed => " ORDER BY issue.closed, issue.id, issue.uid",
            Self::Due => " ORDER BY issue.due IS NULL, issue.due, issue.id, issue.uid",
            Self::DueReversed => " ORDER BY issue.due IS NULL, issue.due DESC, issue.id, issue.uid",
            Self::IdReversed => " ORDER BY issue.id DESC, issue.uid DESC",
            Self::TitleReversed => " ORDER BY issue.title DESC, issue.id, issue.uid",
        }
    }

    /// Returns the order the other way round.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Priority => Self::PriorityReversed,
            Self::PriorityReversed => Self::Priority,
            Self::Created => Self::Oldest,
            Self::Oldest => Self::Created,
            Self::Updated => Self::UpdatedReversed,
            Self::UpdatedReversed => Self::Updated,
            Self::Closed => Self::ClosedReversed,
            Self::ClosedReversed => Self::Closed,
            Self::Due => Self::DueReversed,
            Self::DueReversed => Self::Due,
            Self::Id => Self::IdReversed,
            Self::IdReversed => Self::Id,
            Self::Title => Self::TitleReversed,
            Self::TitleReversed => Self::Title,
            Self::Rank => Self::RankReversed,
            Self::RankReversed => Self::Rank,
        }
    }
}

/// The order of a list, whose issues can be put together before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) group: Option<Grouping>,
    pub(crate) order: Order,
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        Self { group: None, order }
    }
}

impl Sort {
    /// Returns the SQL. Within a group the order is as ever.
    pub(super) fn clause(self) -> String {
        let clause = self.order.clause();
        let columns = clause.trim_start_matches(" ORDER BY ");
        match self.group {
            Some(group) => format!(" ORDER BY {}, {columns}", group_columns(group)),
            None => clause.to_owned(),
        }
    }
}

/// Returns the column with the value that a group has in common.
pub(super) const fn column_of(group: Grouping) -> &'static str {
    match group {
        Grouping::Status => "issue.status",
        Grouping::Assignee => "issue.assignee",
        Grouping::Priority => "issue.priority",
        Grouping::Type => "issue.type",
        Grouping::Parent => "issue.parent",
    }
}

/// Returns the columns by which a group comes before others: what has none of it comes last.
const fn group_columns(group: Grouping) -> &'static str {
    match group {
        Grouping::Status => "issue.status",
        Grouping::Assignee => "issue.assignee IS NULL, issue.assignee, issue.agent",
        Grouping::Priority => "issue.priority",
        Grouping::Type => "issue.type",
        Grouping::Parent => "issue.parent IS NULL, issue.parent",
    }
}
