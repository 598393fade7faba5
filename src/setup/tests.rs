//! What is put in comes out again, in any document.

use proptest::prelude::*;

use super::SetupState;
use super::agents::{AGENTS, Content};
use super::block::Block;
use super::cloud;

fn contents() -> impl Iterator<Item = Content> {
    let in_cloud = cloud::names().into_iter().filter_map(cloud::of);
    let files = AGENTS
        .iter()
        .flat_map(|agent| agent.files)
        .chain(in_cloud.flat_map(|cloud| cloud.files))
        .map(|config| config.content)
        // Nothing of others is in such a file.
        .filter(|content| {
            matches!(
                content,
                Content::Json(_) | Content::Toml(_) | Content::Block(_)
            )
        });
    files.chain(Block::ALL.map(Content::Block))
}

/// Puts a content into a text and takes it out again.
fn there_and_back(content: &Content, text: &str) -> Result<(), TestCaseError> {
    let new = match content.put(Some(text)) {
        Ok(new) => new,
        // Something else is in the place of a container; nothing is refused for the way it is laid out.
        Err(error)
            if ["is not an", "is there twice"]
                .iter()
                .any(|why| error.0.contains(why)) =>
        {
            return Ok(());
        }
        Err(error) => return Err(TestCaseError::fail(format!("{error:?} in {text:?}"))),
    };
    let states = content.states(Some(&new)).unwrap();
    prop_assert!(
        states.iter().all(|state| *state == SetupState::Current),
        "{states:?} in {new:?}"
    );
    prop_assert_eq!(content.put(Some(&new)).unwrap(), new.clone());
    let old = content.take(&new).unwrap();
    prop_assert_eq!(old.as_deref(), Some(text), "by way of {:?}", new);
    Ok(())
}

fn space() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => Just(""), 3 => Just(" "), 3 => Just("\n"), 2 => Just("\n  "), 1 => Just("\r\n"), 1 => Just("\n\t"),
        1 => Just(" // it's {a, \"b\" \n"), 1 => Just("/* [x, */"), 1 => Just("// ends \r\n "),
    ];
    prop::collection::vec(pieces, 0..3).prop_map(|pieces| pieces.concat())
}

fn joined(parts: &[String], trailing: bool, open: char, close: char, space: &str) -> String {
    let comma = if trailing && !parts.is_empty() {
        ","
    } else {
        ""
    };
    format!("{open}{}{comma}{space}{close}", parts.join(","))
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1.50"),
        Just("null"),
        Just("\"a\\u0062 }, // \""),
        Just("true"),
        Just("\"\"")
    ];
    let value = leaf
        .prop_map(str::to_owned)
        .prop_recursive(4, 24, 4, |inner| {
            let key = prop_oneof![
                Just("a"),
                Just("b c"),
                Just("mcpServers"),
                Just("servers"),
                Just("hooks"),
                Just("SessionStart"),
                Just("mcp"),
                Just("amp.mcpServers"),
                Just("other"),
            ];
            let element = (space(), inner.clone(), space())
                .prop_map(|(a, value, b)| format!("{a}{value}{b}"));
            let list = (prop::collection::vec(element, 0..4), any::<bool>(), space());
            let list = list
                .prop_map(|(parts, trailing, space)| joined(&parts, trailing, '[', ']', &space));
            let spaces = (space(), space(), space(), space());
            let members = prop::collection::btree_map(key, (inner, spaces), 0..5);
            let object =
                (members, any::<bool>(), space()).prop_map(|(members, trailing, space)| {
                    let member =
                        |(key, (value, (a, b, c, d)))| format!("{a}\"{key}\"{b}:{c}{value}{d}");
                    joined(
                        &members.into_iter().map(member).collect::<Vec<_>>(),
                        trailing,
                        '{',
                        '}',
                        &space,
                    )
                });
            prop_oneof![1 => list, 4 => object]
        });
    let value = prop_oneof![9 => value.boxed(), 1 => Just(String::new()).boxed()];
    (
        prop_oneof![Just(""), Just("\u{feff}")],
        space(),
        value,
        space(),
    )
        .prop_map(|(mark, a, value, b)| format!("{mark}{a}{value}{b}"))
}

fn toml() -> impl Strategy<Value = String> {
    let lines = prop::sample::subsequence(
        vec![
            "# a comment",
            "model = \"x\" # y",
            "",
            "text = \"\"\"\n[mcp_servers.beads]\n\"\"\"",
            "  list = [\n1, 2,\n]",
            "[mcp_servers.other]",
            "command = 'x'",
            "[tools]",
            "web = true",
            "",
            "[[things]]",
            "a.b = 1",
            "[[things]]  # z",
        ],
        0..13,
    );
    (
        lines,
        prop_oneof![Just("\n"), Just("\r\n")],
        prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just("\n\n")],
    )
        .prop_map(|(lines, newline, end)| lines.join("\n").replace('\n', newline) + end)
}

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = crate::env::Env::of_process()
        .var("GIT_BEADS_CASES")
        .and_then(|text| text.parse().ok())
        .unwrap_or(default.cases);
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..default
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn json_comes_back_to_the_byte(text in json()) {
        for content in contents().filter(|content| matches!(content, Content::Json(_))) {
            there_and_back(&content, &text)?;
        }
    }

    #[test]
    fn toml_comes_back_to_the_byte(text in toml()) {
        for content in contents().filter(|content| matches!(content, Content::Toml(_))) {
            there_and_back(&content, &text)?;
        }
    }

    #[test]
    fn any_text_around_the_block_comes_back(text in "(([a-z#<! -]{0,6}|```|~~~~)(\n|\r\n)?){0,8}") {
        for content in contents().filter(|content| matches!(content, Content::Block(_))) {
            there_and_back(&content, &text)?;
        }
    }
}

#[test]
fn a_file_of_nothing_else_goes_with_it() {
    for content in contents() {
        let alone = content.put(None).unwrap();
        assert_eq!(content.take(&alone).unwrap(), None);
        // An empty file that was there stays.
        let filled = content.put(Some("")).unwrap();
        assert_eq!(content.take(&filled).unwrap().as_deref(), Some(""));
    }
}

/// The layouts that people meet, to look at.
#[test]
fn a_server_stands_as_its_neighbours_do() {
    let content = AGENTS[0].files[0].content;
    let put = |text: &str| content.put(Some(text)).unwrap();
    insta::assert_snapshot!(put("{}\n"), @r#"{"mcpServers": { "beads": { "command": "git-beads", "args": ["mcp"], "alwaysLoad": true } }}"#);
    insta::assert_snapshot!(put("{\n\t\"a\": 1 // one\n\t// end\n}"), @r#"
    {
    	"a": 1, // one
    	"mcpServers": {
    		"beads": { "command": "git-beads", "args": ["mcp"], "alwaysLoad": true }
    	}
    	// end
    }
    "#);
    insta::assert_snapshot!(put("{\n    \"mcpServers\": {\n        \"x\": {},\n    },\n}"), @r#"
    {
        "mcpServers": {
            "x": {},
            "beads": { "command": "git-beads", "args": ["mcp"], "alwaysLoad": true },
        },
    }
    "#);
    insta::assert_snapshot!(put(r#"{"mcpServers":{"x":{}}}"#), @r#"{"mcpServers":{"x":{}, "beads": { "command": "git-beads", "args": ["mcp"], "alwaysLoad": true }}}"#);
}
