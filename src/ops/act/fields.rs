//! Acts on fields, labels and dependencies, and those that make issues.

use super::outcome::{ActOutcome, names};
use super::{ActKind, CreateAct, LabelAct, Remark, UpdateAct};
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::{Field, FieldKind};
use crate::ops::shared::fields::label_text;
use crate::ops::shared::question::brief;
use crate::ops::verbs::create::{self, Create};
use crate::ops::verbs::dep::{self, Dep};
use crate::ops::verbs::split::plan::parse;
use crate::ops::verbs::split::{self, Split};
use crate::ops::verbs::update::{self, Update};
use crate::ops::{Result, Tracker};

pub(super) fn update(tracker: &Tracker, act: &UpdateAct) -> Result<ActOutcome> {
    let request = Update {
        ids: act.ids.clone(),
        fields: act.fields.0.clone(),
        ..Update::default()
    };
    let updated = update::update(tracker, &request)?;
    let mut what = Vec::new();
    for (field, text) in request.fields.iter() {
        let Some(text) = text else {
            continue;
        };
        what.push(match (text.trim(), field.kind()) {
            ("", _) => format!("no {}", field.key()),
            (_, FieldKind::LongText) => field.key().to_owned(),
            (text, _) => format!("{} {}", field.key(), brief(text)),
        });
    }
    Ok(ActOutcome::of_all(updated, what.join(", ")))
}

pub(super) fn label(tracker: &Tracker, act: &LabelAct) -> Result<ActOutcome> {
    let request = Update {
        ids: act.ids.clone(),
        fields: [(Field::Labels, label_text(&act.labels))].into(),
        remove_labels: label_text(&act.rm),
        ..Update::default()
    };
    let updated = update::update(tracker, &request)?;
    let added = act.labels.iter().map(|label| format!("+{}", brief(label)));
    let removed = act.rm.iter().map(|label| format!("-{}", brief(label)));
    let labels: Vec<String> = added.chain(removed).collect();
    Ok(ActOutcome::of_all(
        updated,
        format!("labels {}", labels.join(" ")),
    ))
}

pub(super) fn create(tracker: &Tracker, act: &CreateAct) -> Result<ActOutcome> {
    let request = Create {
        fields: act.fields.0.clone(),
        on: act.on.clone(),
        dep_type: act.dep_type.clone(),
        ..Create::default()
    };
    let created = create::create(tracker, &request)?;
    let next = match created.open_blockers.as_slice() {
        [] if created.may_start => Some(Remark::act("", ActKind::Start, "starts it")),
        [] => None,
        blockers => Some(Remark::text(format!("blocked by {}", names(blockers)))),
    };
    Ok(ActOutcome {
        ids: created.id.into_iter().collect(),
        what: format!("created: {}", brief(&created.title)),
        next,
        ..ActOutcome::default()
    })
}

pub(super) fn split(tracker: &Tracker, id: &str, plan: &str) -> Result<ActOutcome> {
    let request = Split {
        epic: id.to_owned(),
        children: parse(plan)?,
    };
    let children = split::split(tracker, &request)?;
    let what = format!("split into {}", names(&children.ids));
    Ok(ActOutcome::of(&children.epic_id, what))
}

/// Adds or removes dependencies.
pub(super) fn link(tracker: &Tracker, act: &Dep, is_new: bool) -> Result<ActOutcome> {
    let (linked, before) = match is_new {
        true => (dep::add(tracker, act)?, ""),
        false => (dep::remove(tracker, act)?, "no longer "),
    };
    let mut others = linked.added_depends_on;
    others.extend(linked.removed_depends_on);
    let relation = match linked.dep_type.as_str() {
        BLOCKS => "waits for".to_owned(),
        PARENT_CHILD => "part of".to_owned(),
        kind => brief(kind),
    };
    let what = format!("{before}{relation} {}", brief(&names(&others)));
    Ok(ActOutcome::of(&linked.id, what))
}
