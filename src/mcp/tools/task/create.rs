//! `task_create`: a new issue with description, design and acceptance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_ids, missing, owned};
use crate::model::Field;
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::fields::label_text;
use crate::ops::verbs::create;
use crate::ops::{Error, Hint, Result, Tracker};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskCreate {
    #[schemars(required)]
    title: Option<String>,
    /// WHAT: scope, user-visible outcome
    #[schemars(required)]
    description: Option<String>,
    /// HOW: approach, steps, constraints, risks
    #[schemars(required)]
    design: Option<String>,
    /// DONE: verifiable criteria; no implementation steps
    #[schemars(required)]
    acceptance: Option<String>,
    r#type: Option<String>,
    /// P0..P4
    priority: Option<String>,
    parent: Option<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    #[schemars(extend("enum" = ["blocks", "related", "discovered-from", "parent-child"]))]
    dep_type: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
}

/// The id of a new issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CreatedId {
    id: String,
}

impl Answer for CreatedId {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Created
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

pub(crate) fn create(tracker: &Tracker, request: &TaskCreate) -> Result<CreatedId> {
    let texts = [
        ("title", request.title.as_deref()),
        ("description", request.description.as_deref()),
        ("design", request.design.as_deref()),
        ("acceptance", request.acceptance.as_deref()),
    ];
    if let Some(names) = missing(&texts) {
        let error = Error::invalid(format!("Missing required fields: {names}"));
        let title = r#"task_progress(id, discovered=["TITLE"]) files one with a title alone"#;
        return Err(error.hinted(Hint::text(title)));
    }
    check_ids(tracker, &request.depends_on)?;
    let text = |text: &Option<String>| owned(text.as_deref());
    let fields = [
        (Field::Title, text(&request.title)),
        (Field::Type, text(&request.r#type)),
        (Field::Priority, text(&request.priority)),
        (Field::Description, text(&request.description)),
        (Field::Design, text(&request.design)),
        (Field::Acceptance, text(&request.acceptance)),
        (Field::Assignee, text(&request.assignee)),
        (Field::Labels, label_text(&request.labels)),
        (Field::Parent, text(&request.parent)),
    ];
    let request = create::Create {
        fields: fields.into(),
        on: request.depends_on.clone(),
        dep_type: text(&request.dep_type),
        ..create::Create::default()
    };
    Ok(CreatedId {
        id: create::create(tracker, &request)?.id.unwrap_or_default(),
    })
}
