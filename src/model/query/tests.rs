use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<String, (String, Range<usize>)> {
    match parse(text, UnknownKeys::Refused) {
        Ok(query) => Ok(query.to_string()),
        Err(Fault { kind, place }) => {
            let what = match kind {
                FaultKind::UnknownKey(name) => format!("unknown {name}"),
                FaultKind::Syntax(what) => what.to_owned(),
                FaultKind::Foreign { meant, .. } => format!("meant {meant}"),
            };
            Err((what, place.0))
        }
    }
}

#[test]
fn queries_are_read_as_they_are_meant() {
    for (text, printed) in [
        ("is:open", "is:open"),
        ("l:a,b -p:<=1", "label:a,b -priority:<=1"),
        ("a OR b c", "a OR (b c)"),
        ("(a OR b) AND c", "(a OR b) c"),
        ("NOT (a b) or", "-(a b) (or)"),
        ("\"two words\" \"\"", "\"two words\" \"\""),
        (r#""a \" b""#, r#""a \" b""#),
        (
            "epic:bd-1 on:bd-2 by:@me",
            "parent:bd-1 blocked-by:bd-2 author:@me",
        ),
        ("label:class:warrior", "label:class:warrior"),
        ("label:\"needs review\",x", "label:\"needs review\",x"),
        ("https://x.org a::b 12:30", "https://x.org a::b 12:30"),
        ("p:0..1 due:*..7d", "priority:0..1 due:..7d"),
        ("sort:updated-asc a at:@~3", "a sort:updated-asc at:@~3"),
        ("@hot -l:later", "@hot -label:later"),
        ("  a\tb\n", "a b"),
        ("-(-a)", "-(-a)"),
        ("foo(bar)", "foo bar"),
        (
            "status=open priority <= 1 type!=bug",
            "status:open priority:<=1 -type:bug",
        ),
        // A sign behind what is no whole key is part of a word.
        ("x=1 p=1 a<b c = d", "x=1 p=1 a<b c (=) d"),
        ("(or) a", "(or) a"),
        ("does not work!", "does (not) work!"),
        ("#12 C#", "#12 C#"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(printed), "{text}");
    }
}

#[test]
fn faults_have_their_place() {
    for (text, what, place) in [
        ("is:open lable:x", "unknown lable", 8..13),
        ("project = X", "unknown project", 0..7),
        ("is:open size > 3", "unknown size", 8..12),
        ("a or b", "meant OR", 2..4),
        ("is:open & b", "meant AND", 8..9),
        ("is:open not (a)", "meant NOT", 8..11),
        ("!is:open", "meant -", 0..1),
        ("a #needs-review", "meant label:needs-review", 2..15),
        ("a order by created", "meant sort:created", 2..18),
        ("ORDER BY due DESC, key", "meant sort:due-desc", 0..22),
        ("by = currentUser() a", "meant me", 5..18),
        (
            "status in (open, \"in progress\") a",
            "meant status:open,\"in progress\"",
            0..31,
        ),
        ("a priority NOT IN (0,1)", "meant -priority:0,1", 2..23),
        ("assignee is EMPTY a", "meant no:assignee", 0..17),
        ("assignee is not  null", "meant has:assignee", 0..21),
        ("(a", "this bracket is never closed", 0..1),
        ("a)", "no bracket is open here", 1..2),
        ("a \"b", "this quote is never closed", 2..3),
        ("a OR", "OR joins nothing here", 2..4),
        ("OR a", "OR has nothing before it", 0..4),
        ("a AND", "AND joins nothing here", 2..5),
        ("AND a", "AND joins nothing here", 0..3),
        ("a - b", "nothing is negated here", 2..3),
        ("--a", "nothing is negated here", 0..1),
        ("NOT", "nothing is negated here", 0..3),
        ("()", "these brackets are empty", 0..2),
        ("", "the query is empty", 0..0),
        ("  ", "the query is empty", 0..2),
        ("label:", "a value is missing here", 0..6),
        ("label:a,", "a value is missing here", 0..8),
        ("label:<a", "this key has no order to compare by", 6..7),
        ("label:\"a\"b", "a space or a comma is missing here", 9..10),
        ("label:\"a\"ü", "a space or a comma is missing here", 9..11),
        (
            "-sort:id",
            "sort:, group: and at: are outside of brackets and not negated",
            1..8,
        ),
        (
            "(a sort:id)",
            "sort:, group: and at: are outside of brackets and not negated",
            3..10,
        ),
        ("sort:id sort:id", "this is said twice", 8..15),
        ("sort:id,title", "one value is enough here", 0..13),
        ("@ a", "@ names nothing", 1..1),
    ] {
        assert_eq!(read(text), Err((what.to_owned(), place)), "{text}");
    }
}

#[test]
fn what_is_no_key_is_a_word_where_that_is_asked_for() {
    let read = |text: &str| parse(text, UnknownKeys::Words).map(|query| query.to_string());
    assert_eq!(
        read("lable:x is:open").as_deref(),
        Ok("\"lable:x\" is:open")
    );
    assert_eq!(read("status: broken").as_deref(), Ok("\"status:\" broken"));
    assert!(read("(").is_err());
}

#[test]
fn queries_are_bounded() {
    let long = "a".repeat(LONGEST);
    assert!(read(&long).is_ok() && read(&format!("{long}a")).is_err());
    let deep = |depth| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(read(&deep(DEEPEST)).is_ok() && read(&deep(DEEPEST + 1)).is_err());
    assert!(read(&"-(".repeat(2000)).is_err());
    assert!(read(&"a ".repeat(MOST_PARTS)).is_ok() && read(&"a ".repeat(MOST_PARTS + 1)).is_err());
    assert!(read(&format!("label:{}", "a,".repeat(1000))).is_err());
}

/// Returns parts of queries, and what is between them.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("is:open".to_owned()),
        Just("-label:x".to_owned()),
        Just("p:<=1".to_owned()),
        Just("due:..7d".to_owned()),
        Just("OR".to_owned()),
        Just("AND".to_owned()),
        Just("NOT".to_owned()),
        Just("(".to_owned()),
        Just(")".to_owned()),
        Just("-(".to_owned()),
        Just("\"a b\"".to_owned()),
        Just("sort:id".to_owned()),
        Just("@hot".to_owned()),
        "[a-zü]{1,4}",
        "label:[a-z:\"*,.]{0,6}",
        "\\PC{0,4}",
    ];
    prop::collection::vec((piece, "[ \t]{0,1}"), 0..12)
        .prop_map(|all| all.into_iter().map(|(a, b)| a + &b).collect())
}

proptest! {
    #[test]
    fn any_text_is_a_query_or_a_fault_inside_of_it(text in prop_oneof![pieces(), any::<String>()]) {
        for unknown in [UnknownKeys::Refused, UnknownKeys::Words] {
            if let Err(fault) = parse(&text, unknown) {
                prop_assert!(fault.place.0.start <= fault.place.0.end);
                prop_assert!(text.get(fault.place.0.clone()).is_some(), "{:?}", fault);
            }
        }
    }

    #[test]
    fn what_is_printed_is_read_as_the_same(text in pieces()) {
        if let Ok(query) = parse(&text, UnknownKeys::Refused) {
            let printed = query.to_string();
            prop_assert_eq!(parse(&printed, UnknownKeys::Refused), Ok(query), "{} as {}", text, printed);
        }
    }
}
