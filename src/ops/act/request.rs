//! An act with the state that it was decided on, as JSON: `{"act":"update","ids":["app-1"],"priority":"1","seen":"9c1f..."}`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value, json};

use super::Act;

/// The member for the commit.
const SEEN: &str = "seen";

/// An act, and the commit of the state that its face had drawn.
#[derive(Clone, Debug)]
pub struct ActRequest {
    pub(crate) act: Act,
    /// Without one nothing is compared.
    pub(crate) seen: Option<String>,
}

// By hand: serde refuses no unknown member beside one that is flattened.
impl<'de> Deserialize<'de> for ActRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(deserializer)?;
        let seen = match members.remove(SEEN) {
            None | Some(Value::Null) => None,
            Some(Value::String(commit)) => Some(commit),
            Some(_) => return Err(D::Error::custom("`seen` must be a commit")),
        };
        let act = Act::deserialize(Value::Object(members)).map_err(D::Error::custom)?;
        Ok(Self { act, seen })
    }
}

impl JsonSchema for ActRequest {
    fn schema_name() -> Cow<'static, str> {
        "Act".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut acts = Act::json_schema(generator);
        let kinds = acts.get_mut("oneOf").and_then(Value::as_array_mut);
        for act in kinds.into_iter().flatten() {
            act["properties"][SEEN] = json!({"type": "string"});
            act["additionalProperties"] = json!(false);
        }
        json_schema!({"oneOf": acts.get("oneOf")})
    }
}

impl Act {
    /// Returns the issues that it changes by their ids; a new one has none yet, and an undo names a commit.
    pub(super) fn ids(&self) -> &[String] {
        match self {
            Self::Accept(act) | Self::Stop(act) | Self::Unblock(act) | Self::Restore(act) => {
                &act.ids
            }
            Self::Reopen(act) | Self::Block(act) | Self::Delete(act) => &act.ids,
            Self::Done(act) => &act.ids,
            Self::Defer { ids, .. } => ids,
            Self::Label(act) => &act.ids,
            Self::Update(act) => &act.ids,
            Self::Answer(act) => std::slice::from_ref(&act.id),
            Self::Ask(act) => std::slice::from_ref(&act.id),
            Self::Note(act) => std::slice::from_ref(&act.id),
            Self::Start(act) => std::slice::from_ref(&act.id),
            Self::Resolve(act) => std::slice::from_ref(&act.id),
            Self::DepAdd(act) | Self::DepRm(act) => std::slice::from_ref(&act.id),
            Self::Create(_) | Self::Split { .. } | Self::Undo(_) | Self::Redo(_) => &[],
        }
    }
}
