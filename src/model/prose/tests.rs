use proptest::prelude::*;

use super::read::significant;
use super::*;

/// Returns a text as the page has it.
fn tree(text: &str) -> String {
    serde_json::to_string(&parse(text)).unwrap()
}

#[test]
fn boxes_of_lists_are_counted() {
    for (text, wanted) in [
        ("", [0, 0]),
        ("[x] no list", [0, 0]),
        ("- [x] a\n- [ ] b [ ] c\n  - [X] **d**\n- e", [2, 3]),
        ("When:\n\n1. [ ] a\n   more\n\n> - [x] b", [1, 2]),
    ] {
        assert_eq!(boxes(text), wanted, "{text}");
    }
}

#[test]
fn each_part_of_markdown_is_read() {
    for (text, wanted) in [
        ("", "[]"),
        ("plain\nlines\n\nand more", r#"["plain\nlines","and more"]"#),
        ("## Head\ntext", r#"[["h",2,["Head"]],"text"]"#),
        (
            "a **b** *c* `d` ~~e~~",
            r#"[["p",["a ",["b",["b"]]," ",["i",["c"]]," ",["c","d"]," ",["s",["e"]]]]]"#,
        ),
        (
            "```rust\nfn a() {}\n\n```",
            r#"[["c","rust","fn a() {}\n"]]"#,
        ),
        ("    code\n", r#"[["c","","code"]]"#),
        ("> a\n> b", r#"[["q",["a\nb"]]]"#),
        (
            "- a\n  - b\n- [x] c\n- [ ] d",
            r#"[["l",null,[["a",["l",null,[["b"]]]],["☑ c"],["☐ d"]]]]"#,
        ),
        ("3. a\n4. b", r#"[["l",3,[["a"],["b"]]]]"#),
        ("- a\n\n  b\n- c", r#"[["l",null,[["a","b"],["c"]]]]"#),
        (
            "|a|b|\n|-|-|\n|1|`2`|",
            r#"[["t",[[["a"],["b"]],[["1"],[["c","2"]]]]]]"#,
        ),
        ("a\n\n---\nb", r#"["a",["r"],"b"]"#),
        ("<b>a</b>\n\n<!-- b -->", r#"["<b>a</b>","<!-- b -->"]"#),
        ("a &lt; b \\* c", r#"["a < b * c"]"#),
    ] {
        assert_eq!(tree(text), wanted, "{text}");
    }
}

#[test]
fn addresses_of_the_web_and_of_mail_are_links_and_no_others() {
    let link = |to: &str, text: &str| format!(r#"["a","{to}",["{text}"]]"#);
    let web = "https://x.example/a_b?c=(d)";
    for (text, wanted) in [
        (
            format!("see {web}."),
            format!(r#"["see ",{},"."]"#, link(web, web)),
        ),
        (
            format!("({web})"),
            format!(r#"["(",{},")"]"#, link(web, web)),
        ),
        (
            format!("**{web}**"),
            format!(r#"[["b",[{}]]]"#, link(web, web)),
        ),
        (format!("<{web}>"), format!("[{}]", link(web, web))),
        (format!("[t](<{web}>)"), format!("[{}]", link(web, "t"))),
        (
            format!("![t](<{web}> \"more\")"),
            format!(r#"[{}," (more)"]"#, link(web, "t")),
        ),
        (format!("[](<{web}>)"), format!("[{}]", link(web, web))),
        (
            "<ann@x.example>".to_owned(),
            format!("[{}]", link("mailto:ann@x.example", "ann@x.example")),
        ),
    ] {
        assert_eq!(tree(&text), format!(r#"[["p",{wanted}]]"#), "{text}");
    }
    for (text, shown) in [
        ("[t](javascript:alert(1))", "t (javascript:alert(1))"),
        ("[t](docs/a.md)", "t (docs/a.md)"),
        ("xhttps://a.example", "xhttps://a.example"),
        ("https:// http https", "https:// http https"),
        ("https://a\u{202e}b", "https://a\u{202e}b"),
    ] {
        assert_eq!(
            parse(text),
            [TextBlock::Paragraph(vec![Inline::Text(shown.to_owned())])]
        );
    }
}

#[test]
fn what_markdown_leaves_out_is_shown_as_it_stands() {
    for text in [
        "[//]: # (an instruction that is not drawn)",
        "[text][label]\n\n[label]: https://a.example",
        "[a]: https://a.example\n[a]: https://b.example",
        "|a|\n|-|\n|1|more|",
        "- [a]: b",
        "> text\n>\n> [x]: &IgnoreThis;&DoThat;",
        "|ok|\n|-|\n|yes|&now;|",
        "- see https://a.example/deletethehome\n\n  [d]: # (delete the home)",
        "|a|\n|-|\n|https://a.example/delete-all|delete all|",
        "[**![alt](https://inner.example)**](https://outer.example)",
    ] {
        let mut shown = String::new();
        parse(text)
            .iter()
            .for_each(|block| block.each_text(&mut |text| shown.push_str(text)));
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            assert!(shown.contains(word), "{word} of {text} in {shown}");
        }
    }
}

#[test]
fn a_text_of_brackets_is_read_in_time() {
    for part in [
        "[",
        "(http://",
        "> ",
        "- ",
        "*a",
        "`",
        "http://x)",
        "[a]: b\n",
        "|a",
        "![",
        "<!--",
        "&amp",
    ] {
        let text = part.repeat(200_000 / part.len());
        assert!(!parse(&text).is_empty());
    }
}

proptest! {
    #[test]
    fn nothing_is_missing(parts in prop::collection::vec(
        prop::sample::select(vec![
            "a", "b1", " ", "\n", "\n\n", "- ", "1. ", "2) ", "> ", "# ", "*", "**", "_", "~~", "`", "```", "|", "|-|-|\n",
            "[", "]", "](", ")", "]: ", "<", ">", "<!--", "&lt;", "&", ";", "http://c.d", "\"", "    ", "\t", "\\", "!", "é", "日",
            "---\n", "[x] ", "===\n", "\r\n", "\0", "\u{200b}",
        ]), 0..40))
    {
        let text = parts.concat();
        let blocks = parse(&text);
        let mut shown = String::new();
        blocks.iter().for_each(|block| block.each_text(&mut |text| shown.push_str(text)));
        let mut left = shown.chars();
        for c in significant(&text) {
            prop_assert!(left.any(|other| other == c), "{c} of {text:?} in {shown:?}");
        }
    }
}
