//! Texts for the fields of an issue, by their names.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value, json};

use crate::model::{Field, FieldMap};

/// Texts for fields; an empty one clears its field.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenFields(pub(super) FieldMap<Option<String>>);

/// Returns the fields that can be given: a status is set by the acts that are named after it.
fn all() -> impl Iterator<Item = Field> {
    let fields = Field::ALL.into_iter();
    fields.filter(|field| *field != Field::Status)
}

/// Returns the name of a field, which is that of its option.
fn name(field: Field) -> &'static str {
    match field {
        Field::Labels => "label",
        field => field.key(),
    }
}

impl<'de> Deserialize<'de> for GivenFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = FieldMap::default();
        for (given, text) in BTreeMap::<String, String>::deserialize(deserializer)? {
            let Some(field) = all().find(|field| name(*field) == given) else {
                return Err(D::Error::custom(format!("unknown field `{given}`")));
            };
            fields[field] = Some(text);
        }
        Ok(Self(fields))
    }
}

impl JsonSchema for GivenFields {
    fn schema_name() -> Cow<'static, str> {
        "GivenFields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for field in all() {
            properties.insert(name(field).to_owned(), json!({"type": "string"}));
        }
        json_schema!({"type": "object", "properties": Value::Object(properties)})
    }
}
