//! The gate: every line of it, by requests that are written by hand.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::{Answered, Serving};
use crate::support::{World, samples};

/// The parts of a request that the page could send; a case changes some.
#[derive(Clone)]
pub(super) struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Request {
    /// The one for a scene that is answered.
    pub(super) fn good(serving: &Serving) -> Self {
        let body = r#"{"scene":"inbox"}"#.to_owned();
        let port = serving.port;
        let headers = [
            ("Host", format!("127.0.0.1:{port}")),
            ("Origin", format!("http://127.0.0.1:{port}")),
            ("Beads-Key", serving.key.clone()),
            ("Content-Type", "application/json".to_owned()),
            ("Sec-Fetch-Site", "same-origin".to_owned()),
        ];
        Self {
            line: "POST /api/scene HTTP/1.1".to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
            body,
        }
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.with(name, value)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn line(mut self, line: &str) -> Self {
        self.line = format!("{line} HTTP/1.1");
        self
    }

    fn text(&self) -> String {
        let has_length = self
            .headers
            .iter()
            .any(|(name, _)| name == "Content-Length" || name == "Transfer-Encoding");
        let mut text = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !has_length {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        format!("{text}Connection: close\r\n\r\n{}", self.body)
    }

    #[track_caller]
    pub(super) fn gets(&self, serving: &Serving, status: u16) -> Answered {
        let text = serving.send(self.text().as_bytes());
        let answered = Answered::of(&text);
        let answered = answered.unwrap_or_else(|| panic!("{}: {text:?}", self.text()));
        assert_eq!(answered.status, status, "{}: {answered:?}", self.text());
        assert!(!answered.head.contains("access-control"), "{answered:?}");
        assert!(
            status == 200 || !answered.body.contains("questions"),
            "{answered:?}"
        );
        answered
    }
}

fn serving() -> (World, Serving) {
    let world = samples::one();
    let serving = Serving::start(&world, "repo", &[]);
    (world, serving)
}

#[test]
fn only_a_name_of_this_machine_is_served() {
    let (_world, serving) = serving();
    let good = Request::good(&serving);
    let port = serving.port;
    let shell = Request {
        body: String::new(),
        ..good.clone().line("GET /").without("Content-Type")
    };
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let host = format!("{host}:{port}");
        shell.clone().set("Host", &host).gets(&serving, 200);
        let asked = good.clone().set("Host", &host);
        asked
            .set("Origin", &format!("http://{host}"))
            .gets(&serving, 200);
    }
    let others = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port - 1),
        format!("127.0.0.1:{port}0"),
        format!("127.0.0.1.:{port}"),
        format!("localhost.:{port}"),
        format!("localhost:{port}, evil.example"),
        format!("evil@localhost:{port}"),
        format!("127.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::]:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        String::new(),
    ];
    for host in others {
        for asked in [&shell, &good] {
            let refused = asked.clone().set("Host", &host).gets(&serving, 421);
            assert!(refused.body.contains("serveOrigin"), "{refused:?}");
        }
    }
    shell.clone().without("Host").gets(&serving, 421);
    shell
        .clone()
        .with("Host", "evil.example")
        .gets(&serving, 400);
    // By a whole address, as to a proxy.
    for place in ["http://evil.example/", "http://evil.example/api/scene"] {
        let method = if place.ends_with('/') { "GET" } else { "POST" };
        let asked = good.clone().line(&format!("{method} {place}"));
        asked.gets(&serving, 404);
    }
}

#[test]
fn only_this_page_with_the_key_reads() {
    let (_world, serving) = serving();
    let good = Request::good(&serving);
    let port = serving.port;
    let read = good.gets(&serving, 200);
    assert!(read.body.contains("ready"), "{read:?}");
    good.clone().without("Sec-Fetch-Site").gets(&serving, 200);
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port - 1),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}.evil.example"),
        "http://127.0.0.1".to_owned(),
        "file://".to_owned(),
        String::new(),
    ];
    for path in ["/api/scene", "/api/live"] {
        let asked = good.clone().line(&format!("POST {path}"));
        for origin in &origins {
            asked.clone().set("Origin", origin).gets(&serving, 403);
        }
        asked.clone().without("Origin").gets(&serving, 403);
        asked
            .clone()
            .with("Origin", "http://evil.example")
            .gets(&serving, 400);
        for site in ["cross-site", "same-site", "none", ""] {
            asked
                .clone()
                .set("Sec-Fetch-Site", site)
                .gets(&serving, 403);
        }
        let mut other = serving.key.clone();
        other.replace_range(0..1, if other.starts_with('0') { "1" } else { "0" });
        for key in [
            "",
            "x",
            &serving.key[1..],
            &format!("{}0", serving.key),
            &other,
        ] {
            asked.clone().set("Beads-Key", key).gets(&serving, 401);
        }
        asked.clone().without("Beads-Key").gets(&serving, 401);
        asked
            .clone()
            .with("Beads-Key", &serving.key)
            .gets(&serving, 400);
        // Neither a cookie nor a header that a proxy uses is a key.
        let bearer = format!("Bearer {}", serving.key);
        let other = asked
            .clone()
            .without("Beads-Key")
            .with("Authorization", &bearer);
        other
            .with("Cookie", &format!("key={}", serving.key))
            .gets(&serving, 401);
    }
}

#[test]
fn other_methods_paths_types_and_sizes_are_refused() {
    let (_world, serving) = serving();
    let good = Request::good(&serving);
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"] {
        good.clone()
            .line(&format!("{method} /api/scene"))
            .gets(&serving, 405);
    }
    good.clone().line("POST /").gets(&serving, 405);
    let paths = [
        "/api",
        "/api/",
        "/api/act",
        "/api/scene/",
        "/api/scene?x",
        "//api/scene",
        "/API/scene",
        "/../etc/passwd",
        "/favicon.ico",
        "/api/%73cene",
    ];
    for path in paths {
        good.clone()
            .line(&format!("POST {path}"))
            .gets(&serving, 404);
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json, text/plain",
        "",
    ] {
        good.clone().set("Content-Type", kind).gets(&serving, 415);
    }
    good.clone().without("Content-Type").gets(&serving, 415);
    good.clone()
        .set("Content-Length", "9437185")
        .gets(&serving, 413);
    good.clone()
        .set("Content-Length", "99999999999999999999999")
        .gets(&serving, 400);
    let chunked = Request {
        body: "11\r\n{\"scene\":\"inbox\"}\r\n0\r\n\r\n".to_owned(),
        ..good.clone().with("Transfer-Encoding", "chunked")
    };
    chunked.gets(&serving, 400);
    chunked.with("Content-Length", "5").gets(&serving, 400);
    let long = "x".repeat(17 << 10);
    good.clone().with("X-Long", &long).gets(&serving, 431);
    let bodies = [
        "",
        "{",
        "[]",
        "null",
        "{\"scene\":1}",
        "{\"scene\":\"none\",\"repo\":\"repo\"}",
        "{\"scene\":\"rows\",\"repo\":\"repo\",\"way\":1}",
        "{\"scene\":\"rows\",\"repo\":\"repo\",\"query\":\"is:opn\"}",
    ];
    for body in bodies {
        let asked = Request {
            body: body.to_owned(),
            ..good.clone()
        };
        let text = serving.send(asked.text().as_bytes());
        let answered = Answered::of(&text).unwrap();
        assert!(
            [400, 404].contains(&answered.status),
            "{body}: {answered:?}"
        );
        assert!(answered.body.contains("\"kind\":\"error\""), "{answered:?}");
    }
    for repo in ["..", "/etc", "other", ""] {
        let body = serde_json::json!({"scene": "rows", "repo": repo}).to_string();
        Request {
            body,
            ..good.clone()
        }
        .gets(&serving, 404);
    }
}

#[test]
fn requests_behind_each_other_are_each_looked_at() {
    let (_world, serving) = serving();
    let good = Request::good(&serving);
    let kept = good.text().replace("Connection: close\r\n", "");
    // The second one has no key; what follows a refusal is not read.
    let bad = good
        .clone()
        .without("Beads-Key")
        .text()
        .replace("Connection: close\r\n", "");
    let text = serving.send(format!("{kept}{bad}{kept}").as_bytes());
    let statuses: Vec<&str> = text
        .match_indices("HTTP/1.1 ")
        .map(|(i, _)| &text[i + 9..i + 12])
        .collect();
    assert_eq!(statuses, ["200", "401"], "{text}");
}

#[test]
fn the_page_says_what_a_browser_may_do_with_it() {
    let (_world, serving) = serving();
    let shell = Request {
        body: String::new(),
        ..Request::good(&serving)
            .line("GET /")
            .without("Content-Type")
            .without("Beads-Key")
            .without("Origin")
    };
    let page = shell.gets(&serving, 200);
    for said in [
        "default-src 'none'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "x-content-type-options: nosniff",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-resource-policy: same-origin",
        "referrer-policy: no-referrer",
    ] {
        assert!(page.head.contains(said), "{said}: {page:?}");
    }
    assert!(!page.body.contains(&serving.key), "the page has no key");
    let scene = Request::good(&serving).gets(&serving, 200);
    assert!(scene.head.contains("cache-control: no-store"), "{scene:?}");
    let etag = page
        .head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .unwrap();
    // Its case was changed for the comparison above.
    let text = serving.send(shell.text().as_bytes());
    let at = text.to_lowercase().find(etag).unwrap();
    let same = shell
        .clone()
        .with("If-None-Match", &text[at..at + etag.len()]);
    assert_eq!(same.gets(&serving, 304).body, "");
    let body = shell.with("Content-Length", "1");
    body.gets(&serving, 400);
}

fn connect(serving: &Serving) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    let patience = Some(Duration::from_secs(60));
    stream.set_read_timeout(patience).unwrap();
    stream
}

#[test]
fn strangers_take_no_seat_of_those_who_have_the_key() {
    let (_world, serving) = serving();
    let asked = Request::good(&serving);
    let kept_text = asked.text().replace("Connection: close\r\n", "");
    let mut kept = connect(&serving);
    kept.write_all(kept_text.as_bytes()).unwrap();
    let mut first = [0; 12];
    kept.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // Far more of them than there are seats: the oldest ones go.
    let mut strangers: Vec<TcpStream> = (0..100).map(|_| connect(&serving)).collect();
    asked.gets(&serving, 200);
    let ended = strangers[0].read(&mut [0]);
    assert!(
        ended.is_ok_and(|read| read == 0),
        "the oldest one is closed"
    );
    // The newest one goes when its time is over, and a connection that has shown the key does not.
    let ended = strangers[99].read(&mut [0]);
    assert!(ended.is_ok_and(|read| read == 0), "so is the newest");
    kept.write_all(asked.text().as_bytes()).unwrap();
    let mut rest = String::new();
    kept.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("HTTP/1.1 200"), "{rest}");
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let (_world, serving) = serving();
    // The server ends this: the test would wait for a minute.
    let text = serving.send(b"POST /api/scene HTTP/1.1\r\nHost:");
    assert!(text.is_empty() || text.contains(" 408 "), "{text}");
    let asked = Request::good(&serving).set("Content-Length", "100");
    let text = serving.send(asked.text().as_bytes());
    assert!(text.contains(" 400 "), "{text}");
}

#[test]
fn an_origin_of_the_users_is_admitted_beside_ours() {
    let world = samples::one();
    let set = [
        "config",
        "--global",
        "--add",
        "beads.serveOrigin",
        "https://beads.example",
    ];
    world.git(&set).ok();
    // A repository that one has cloned admits no one.
    world
        .git(&["config", "beads.serveOrigin", "https://evil.example"])
        .ok();
    let serving = Serving::start(&world, "repo", &[]);
    let good = Request::good(&serving);
    good.gets(&serving, 200);
    let proxied = good
        .clone()
        .set("Host", "beads.example")
        .set("Origin", "https://beads.example");
    proxied.gets(&serving, 200);
    proxied.clone().without("Beads-Key").gets(&serving, 401);
    proxied
        .set("Origin", "http://beads.example")
        .gets(&serving, 403);
    let evil = good
        .set("Host", "evil.example")
        .set("Origin", "https://evil.example");
    evil.gets(&serving, 421);
    drop(serving);
    world
        .git(&["config", "--global", "beads.serveOrigin", "beads.example/x"])
        .ok();
    let error = world.bd(&["serve"]).fails(1);
    assert!(error.contains("is no origin"), "{error}");
}
