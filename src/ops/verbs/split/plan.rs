//! Plans for `split`: JSON or Markdown, read into the same children.

use serde::Deserialize;
use serde_json::Value;

use crate::model::{Field, FieldMap};
use crate::ops::shared::fields::label_text;
use crate::ops::{Error, Hint, Result};

/// A child of an epic in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Child {
    /// Its fields.
    pub fields: FieldMap<Option<String>>,
    /// Its dependencies: indices of earlier children (from 0), or ids.
    pub depends_on: Vec<String>,
    /// The type of those dependencies; `blocks` by default.
    pub dep_type: Option<String>,
}

impl Child {
    /// Returns a child with nothing but a title.
    pub(crate) fn titled(title: String) -> Self {
        Self {
            fields: [(Field::Title, Some(title))].into(),
            ..Self::default()
        }
    }
}

/// A child as JSON has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonChild {
    title: String,
    #[serde(rename = "type", alias = "issue_type")]
    kind: Option<String>,
    priority: Option<Value>,
    description: Option<String>,
    design: Option<String>,
    #[serde(alias = "acceptance_criteria")]
    acceptance: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    depends_on: Value,
    dep_type: Option<String>,
}

/// Reads a plan: a JSON array of children (or an object with `children` or `sub_issues`), else Markdown.
pub(crate) fn parse(text: &str) -> Result<Vec<Child>> {
    let children = match text.trim_start().as_bytes().first() {
        Some(b'[' | b'{') => json(text)?,
        _ => markdown(text),
    };
    if children.is_empty() {
        let hint = Hint::text(
            "write a Markdown list (`- Title`) or sections (`## Title`), or a JSON array of {\"title\": ...}",
        );
        return Err(Error::invalid("the plan names no children").hinted(hint));
    }
    Ok(children)
}

fn json(text: &str) -> Result<Vec<Child>> {
    let wrong = |error: serde_json::Error| {
        Error::invalid(format!("the plan is no valid JSON plan: {error}"))
    };
    let value: Value = serde_json::from_str(text).map_err(wrong)?;
    let list = match value {
        Value::Object(mut map) => map
            .remove("children")
            .or_else(|| map.remove("sub_issues"))
            .unwrap_or_default(),
        list => list,
    };
    let children: Vec<JsonChild> = serde_json::from_value(list).map_err(wrong)?;
    Ok(children.into_iter().map(Child::from).collect())
}

impl From<JsonChild> for Child {
    fn from(child: JsonChild) -> Self {
        let word = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let depends_on = match child.depends_on {
            Value::Null => Vec::new(),
            Value::Array(items) => items.into_iter().map(word).collect(),
            one => vec![word(one)],
        };
        let fields = [
            (Field::Title, Some(child.title)),
            (Field::Type, child.kind),
            (Field::Priority, child.priority.map(word)),
            (Field::Description, child.description),
            (Field::Design, child.design),
            (Field::Acceptance, child.acceptance),
            (Field::Assignee, child.assignee),
            (Field::Labels, label_text(&child.labels)),
        ];
        Self {
            fields: fields.into(),
            depends_on,
            dep_type: child.dep_type,
        }
    }
}

/// Sections `## Title` with text, `### Design`, `### Acceptance` and lines such as `Depends on: 0`; a
/// text without sections is a list of titles.
fn markdown(text: &str) -> Vec<Child> {
    let has_sections = lines(text).any(|(line, is_code)| !is_code && line.starts_with("## "));
    let mut children = if has_sections {
        sections(text)
    } else {
        bullets(text)
    };
    children.iter_mut().for_each(trim);
    children
}

/// Returns the lines of a text, each with whether it is code between fences, where nothing is a heading.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence = None;
    text.lines().map(move |line| {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        let is_code = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        (line, is_code)
    })
}

/// Returns the field that a heading begins; none where it is a heading of the text.
fn section_of(heading: &str) -> Option<Field> {
    match heading.trim().to_lowercase().as_str() {
        "design" | "how" => Some(Field::Design),
        "acceptance" | "acceptance criteria" | "done" => Some(Field::Acceptance),
        "description" | "what" => Some(Field::Description),
        _ => None,
    }
}

/// Settings stand right below the title; further down such a line is text.
fn sections(text: &str) -> Vec<Child> {
    let mut children: Vec<Child> = Vec::new();
    let (mut section, mut head) = (Field::Description, false);
    for (line, is_code) in lines(text) {
        let heading = |mark| line.strip_prefix(mark).filter(|_| !is_code);
        if let Some(title) = heading("## ") {
            children.push(titled(title));
            (section, head) = (Field::Description, true);
        } else if let Some(field) = heading("### ").and_then(section_of) {
            (section, head) = (field, false);
        } else if let Some(child) = children.last_mut() {
            // The first line that is no setting ends them for good.
            head = head && !is_code && (line.trim().is_empty() || setting(child, line));
            if !head {
                append(child, section, line);
            }
        }
    }
    children
}

/// Takes the indented lines below a bullet as its description.
fn bullets(text: &str) -> Vec<Child> {
    let mut children: Vec<Child> = Vec::new();
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        match (bullet(line).filter(|_| !indented), children.last_mut()) {
            (Some(title), _) => children.push(titled(title)),
            (None, Some(child)) if indented => append(child, Field::Description, line.trim_start()),
            _ => {}
        }
    }
    children
}

fn titled(title: &str) -> Child {
    Child {
        fields: [(Field::Title, Some(title.trim().to_owned()))].into(),
        ..Child::default()
    }
}

fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let marks = ["- ", "* ", "+ "].into_iter();
    let rest = marks
        .filter_map(|mark| line.strip_prefix(mark))
        .next()
        .or_else(|| {
            let (number, rest) = line.split_once(". ").or_else(|| line.split_once(") "))?;
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            is_number.then_some(rest)
        })?;
    let boxes = ["[ ] ", "[x] ", "[X] "].into_iter();
    let unboxed = boxes.filter_map(|mark| rest.strip_prefix(mark)).next();
    let rest = unboxed.unwrap_or(rest).trim();
    (!rest.is_empty()).then_some(rest)
}

fn setting(child: &mut Child, line: &str) -> bool {
    let Some((key, value)) = line.trim_start_matches(['-', '*', ' ']).split_once(':') else {
        return false;
    };
    let list = || {
        value
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let word = || Some(value.trim().to_owned());
    let (field, text) = match key.trim().to_lowercase().as_str() {
        "depends on" | "depends-on" | "after" => {
            child.depends_on = list();
            return true;
        }
        "labels" => (Field::Labels, label_text(&list())),
        "priority" => (Field::Priority, word()),
        "type" => (Field::Type, word()),
        "assignee" => (Field::Assignee, word()),
        _ => return false,
    };
    child.fields[field] = text;
    true
}

fn append(child: &mut Child, section: Field, line: &str) {
    let text = child.fields[section].get_or_insert_default();
    text.push_str(line);
    text.push('\n');
}

fn trim(child: &mut Child) {
    for field in Field::long_texts() {
        child.fields[field] = child.fields[field]
            .take()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_plan() {
        let plan =
            parse("Some words\n- One\n* [ ] Two\n3. Three\n+ Four\n5) Five\n- [x] Six\n").unwrap();
        let titles: Vec<_> = plan
            .iter()
            .filter_map(|child| child.fields[Field::Title].as_deref())
            .collect();
        assert_eq!(titles, ["One", "Two", "Three", "Four", "Five", "Six"]);
    }

    #[test]
    fn sections_carry_texts_and_settings() {
        let plan = parse("# Plan\n## One\nWhat.\n\n### Design\nHow.\n### Acceptance\n- works\n## Two\nPriority: P1\nDepends on: 0, bd-x\n").unwrap();
        assert_eq!(plan[0].fields[Field::Description].as_deref(), Some("What."));
        assert_eq!(plan[0].fields[Field::Design].as_deref(), Some("How."));
        assert_eq!(
            plan[0].fields[Field::Acceptance].as_deref(),
            Some("- works")
        );
        assert_eq!(plan[1].depends_on, ["0", "bd-x"]);
        assert_eq!(plan[1].fields[Field::Priority].as_deref(), Some("P1"));
    }

    #[test]
    fn headings_of_the_text_and_in_code_stay_in_it() {
        let text = "What.\n### Risks\nSome.\n```sh\n## no title\n### Design\n```\nMore.";
        let plan = parse(&format!("## One\n{text}\n### How\nSo.\n## Two\n")).unwrap();
        assert_eq!(plan.len(), 2);
        assert_eq!(plan[0].fields[Field::Description].as_deref(), Some(text));
        assert_eq!(plan[0].fields[Field::Design].as_deref(), Some("So."));
    }

    #[test]
    fn json_takes_indices_and_ids() {
        let plan = parse(r#"{"sub_issues":[{"title":"a","priority":1},{"title":"b","depends_on":[0,"bd-x"]},{"title":"c","depends_on":"bd-y"}]}"#).unwrap();
        assert_eq!(plan[0].fields[Field::Priority].as_deref(), Some("1"));
        assert_eq!(plan[1].depends_on, ["0", "bd-x"]);
        assert_eq!(plan[2].depends_on, ["bd-y"]);
        assert!(
            parse(r#"[{"title":"a","dependsOn":[0]}]"#)
                .unwrap_err()
                .message
                .contains("dependsOn")
        );
        assert!(parse("nothing here").is_err());
    }
}
