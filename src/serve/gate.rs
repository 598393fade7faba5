//! What a request has to be before anything of its body is read. Nothing else is here.
//!
//! The reader of this page is the user of this machine, in a page that this program has sent. Other machines, other users and
//! the pages of other sites have the same network, and some of them the same browser: what tells them from the reader is the
//! key alone, and no site can send it, since it is in a header that a browser asks about first.

use hyper::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

/// The header with the key; not `Authorization`, which is left to a proxy.
const KEY: HeaderName = HeaderName::from_static("beads-key");
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Bytes of a body.
pub(super) const MOST_BODY: u64 = 9 << 20;

/// What may ask here, and for whom.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    key: String,
    is_read_only: bool,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// The page without data.
    Shell,
    Scene,
    Act,
    Live,
}

/// The reason for which a request is answered by nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: &'static str,
}

impl Gate {
    /// Lets in requests to a port of this machine that have a key, and those that came by way of other origins of the user's.
    pub(super) fn new(port: u16, key: &str, origins: &[String], is_read_only: bool) -> Self {
        let own = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        let mut gate = Self {
            origins: own.iter().map(|host| format!("http://{host}")).collect(),
            hosts: own.into(),
            key: key.to_owned(),
            is_read_only,
        };
        for origin in origins {
            let host = origin.split_once("://").map_or("", |(_, host)| host);
            gate.hosts.push(host.to_owned());
            gate.origins.push(origin.clone());
        }
        gate
    }

    /// Returns what a request asks for.
    /// Errors: it is none that the page of this program makes.
    pub(super) fn check(&self, head: &Parts) -> Result<Endpoint, Refusal> {
        let host = one(head, &HOST)?;
        if !host.is_some_and(|host| is_among(host, &self.hosts)) {
            return Err(refusal(
                StatusCode::MISDIRECTED_REQUEST,
                "not served under this name; `git config --global beads.serveOrigin ORIGIN` admits one",
            ));
        }
        let is_plain = head.uri.authority().is_none() && head.uri.query().is_none();
        let (endpoint, method) = match head.uri.path() {
            "/" if is_plain => (Endpoint::Shell, Method::GET),
            "/api/scene" if is_plain => (Endpoint::Scene, Method::POST),
            "/api/act" if is_plain => (Endpoint::Act, Method::POST),
            "/api/live" if is_plain => (Endpoint::Live, Method::POST),
            _ => return Err(refusal(StatusCode::NOT_FOUND, "nothing is here")),
        };
        if head.method != method {
            let message = "not by this method";
            return Err(refusal(StatusCode::METHOD_NOT_ALLOWED, message));
        }
        if endpoint != Endpoint::Shell {
            self.check_sender(head)?;
        }
        if endpoint == Endpoint::Act && self.is_read_only {
            let message = "nothing can be changed here: `serve` was begun with `--read-only`";
            return Err(refusal(StatusCode::FORBIDDEN, message));
        }
        check_body(head, endpoint)?;
        Ok(endpoint)
    }

    /// Errors: not from the page of this program, or without its key.
    fn check_sender(&self, head: &Parts) -> Result<(), Refusal> {
        let origin = one(head, &ORIGIN)?;
        let is_own = origin.is_some_and(|origin| is_among(origin, &self.origins));
        let site = one(head, &SITE)?;
        if !is_own || site.is_some_and(|site| site != "same-origin") {
            return Err(refusal(StatusCode::FORBIDDEN, "not from this page"));
        }
        let key = one(head, &KEY)?;
        if !key.is_some_and(|key| is_same(key.as_bytes(), self.key.as_bytes())) {
            let message =
                "the key is missing or of another run: open the address that `serve` prints";
            return Err(refusal(StatusCode::UNAUTHORIZED, message));
        }
        Ok(())
    }
}

/// Errors: a body that is too long, of another type, or of a length that is not known first.
fn check_body(head: &Parts, endpoint: Endpoint) -> Result<(), Refusal> {
    let bad = |message| Err(refusal(StatusCode::BAD_REQUEST, message));
    if head.headers.contains_key(TRANSFER_ENCODING) {
        return bad("a body has its length in front");
    }
    let length = one(head, &CONTENT_LENGTH)?;
    let length = length.map_or(Some(0), |length| length.to_str().ok()?.parse().ok());
    match (length, endpoint) {
        (None, _) => bad("that is no length"),
        (Some(0), Endpoint::Shell) => Ok(()),
        (Some(_), Endpoint::Shell) => bad("a body has no place here"),
        (Some(length), _) if length > MOST_BODY => {
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, "too long"))
        }
        _ => match one(head, &CONTENT_TYPE)? {
            Some(kind) if kind == "application/json" => Ok(()),
            _ => Err(refusal(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "a body is application/json",
            )),
        },
    }
}

/// Returns the value of a header.
/// Errors: it is there more than once; two programs may take different ones for the right one.
fn one<'h>(head: &'h Parts, name: &HeaderName) -> Result<Option<&'h HeaderValue>, Refusal> {
    let mut values = head.headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        None => Ok(first),
        Some(_) => Err(refusal(StatusCode::BAD_REQUEST, "a header is there twice")),
    }
}

const fn refusal(status: StatusCode, message: &'static str) -> Refusal {
    Refusal { status, message }
}

fn is_among(value: &HeaderValue, known: &[String]) -> bool {
    known.iter().any(|one| value == one.as_str())
}

/// Compares in a time that does not depend on where two keys differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differing == 0
}
