//! A time in an answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::time;

/// A time in milliseconds since 1970; RFC 3339 in UTC, once it is written.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline)]
pub struct Moment(#[schemars(with = "String")] pub u64);

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&time::format(self.0))
    }
}
