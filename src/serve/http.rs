//! The server: connections and what they may take, and what is answered. The work is the desk's.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use super::ask::Call;
use super::gate::{Endpoint, Gate, MOST_BODY};
use super::{DeskDoor, failure};
use crate::ops::Error;
use crate::page::Shell;

/// Connections at a time, and of those the ones that have not shown the key: another user can open as many as he likes.
const MOST: usize = 64;
const MOST_STRANGERS: usize = 16;
/// The time between two connections for which the oldest stranger has to go: each has this sixteen times to show the key.
const PACE: Duration = Duration::from_millis(1);
/// Bytes of the head of a request.
const MOST_HEAD: usize = 16 << 10;
/// The time for a body, and for a connection to show the key; one that has shown it stays for as long as the browser likes.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time that an answer may take: a disk of a network may not answer.
const LONGEST_WORK: Duration = Duration::from_secs(30);
/// The time between two signs of life on a stream.
const BEAT: Duration = Duration::from_secs(50);
/// Messages that wait for a page to read them.
const MOST_UNREAD: usize = 64;

/// What all connections have in common.
pub(super) struct Server {
    gate: Gate,
    html: Bytes,
    /// A name of these bytes.
    version: String,
    headers: Vec<(&'static str, HeaderValue)>,
    desk: DeskDoor,
    streams: Arc<Streams>,
    seats: Arc<Semaphore>,
    /// The connections that have not shown the key, the oldest one first.
    strangers: Mutex<VecDeque<Connection>>,
}

/// The pages that listen.
#[derive(Default)]
pub(super) struct Streams(Mutex<Vec<Stream>>);

struct Stream {
    messages: mpsc::Sender<Bytes>,
    connection: Connection,
}

impl Streams {
    /// Sends a message to all pages. The connection of one that does not read is closed: it asks for all when it is back.
    pub(super) fn send(&self, message: &str) {
        let message = Bytes::from(format!("{message}\n\n"));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|stream| match stream.messages.try_send(message.clone()) {
            Ok(()) => true,
            Err(_) => {
                stream.connection.notify_one();
                false
            }
        });
    }

    /// Returns whether a page listens.
    pub(super) fn has_any(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|stream| !stream.messages.is_closed())
    }

    fn add(&self, connection: Connection) -> mpsc::Receiver<Bytes> {
        let (messages, receiver) = mpsc::channel(MOST_UNREAD);
        // It is open, and says so before anything moves.
        let _ = messages.try_send(Bytes::from_static(b": live\n\n"));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Stream {
            messages,
            connection,
        });
        receiver
    }
}

/// What is answered: all at once, or as it comes.
pub(super) enum Body {
    Whole(Bytes),
    Stream(mpsc::Receiver<Bytes>),
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => None,
            Self::Whole(bytes) => Some(std::mem::take(bytes)),
            Self::Stream(messages) => match messages.poll_recv(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

/// A connection, by what closes it.
type Connection = Arc<Notify>;

impl Server {
    pub(super) fn new(gate: Gate, shell: &Shell, desk: DeskDoor, streams: Arc<Streams>) -> Self {
        // What every answer says to a browser.
        let all = [
            ("content-security-policy", shell.policy.as_str()),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ];
        let headers = all.map(|(name, value)| (name, HeaderValue::from_str(value)));
        let headers = headers.into_iter();
        Self {
            gate,
            version: shell.version.clone(),
            html: Bytes::from(shell.html.clone()),
            headers: headers
                .filter_map(|(name, value)| Some((name, value.ok()?)))
                .collect(),
            desk,
            streams,
            seats: Arc::new(Semaphore::new(MOST)),
            strangers: Mutex::default(),
        }
    }

    /// Takes connections until the runtime ends.
    pub(super) async fn accept(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok((stream, peer)) = listener.accept().await else {
                // No descriptor is left: some connection will end.
                sleep(Duration::from_millis(50)).await;
                continue;
            };
            let seat = self.seats.clone().try_acquire_owned();
            let (Ok(seat), true) = (seat, peer.ip().is_loopback()) else {
                continue;
            };
            let connection = Connection::default();
            let oldest = {
                let mut strangers = self.strangers();
                strangers.push_back(connection.clone());
                let is_full = strangers.len() > MOST_STRANGERS;
                is_full.then(|| strangers.pop_front()).flatten()
            };
            let server = self.clone();
            tokio::spawn(async move {
                server.talk(stream, connection).await;
                drop(seat);
            });
            if let Some(oldest) = oldest {
                oldest.notify_one();
                sleep(PACE).await;
            }
        }
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<Connection>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection out of the strangers; returns whether it was one.
    fn admit(&self, connection: &Connection) -> bool {
        let mut strangers = self.strangers();
        let at = strangers
            .iter()
            .position(|one| Arc::ptr_eq(one, connection));
        at.and_then(|at| strangers.remove(at)).is_some()
    }

    /// Waits until a connection has to go: it has not shown the key in time, others came, or it does not read.
    async fn has_to_go(&self, connection: &Connection) {
        tokio::select! {
            () = sleep(PATIENCE) => {}
            () = connection.notified() => return,
        }
        if !self.admit(connection) {
            connection.notified().await;
        }
    }

    /// Sends all streams a sign of life, for as long as the server runs.
    pub(super) async fn beat(self: Arc<Self>) {
        loop {
            sleep(BEAT).await;
            self.streams.send(": still here");
        }
    }

    async fn talk(self: Arc<Self>, stream: TcpStream, connection: Connection) {
        let service = service_fn(|request| {
            let (server, connection) = (self.clone(), connection.clone());
            async move {
                let mut answer = server.answer(request, &connection).await;
                for (name, value) in &server.headers {
                    answer.headers_mut().insert(*name, value.clone());
                }
                Ok::<_, Infallible>(answer)
            }
        });
        // Without a time for a head: that is also the time for which a connection is kept.
        let mut http = http1::Builder::new();
        http.max_buf_size(MOST_HEAD);
        tokio::select! {
            // One that hangs up concerns no other.
            _ = http.serve_connection(TokioIo::new(stream), service) => {}
            () = self.has_to_go(&connection) => {}
        }
        self.admit(&connection);
        // The time without a page begins here.
        self.desk.waker.wake();
    }

    async fn answer(&self, request: Request<Incoming>, connection: &Connection) -> Response<Body> {
        let (head, body) = request.into_parts();
        let endpoint = match self.gate.check(&head) {
            Ok(endpoint) => endpoint,
            Err(refusal) => return refused(refusal.status, refusal.message),
        };
        if endpoint == Endpoint::Shell {
            return self.shell(&head);
        }
        self.admit(connection);
        if endpoint == Endpoint::Live {
            let messages = Body::Stream(self.streams.add(connection.clone()));
            return said(StatusCode::OK, "text/event-stream", messages);
        }
        match timeout(PATIENCE, whole(body)).await {
            Ok(Some(bytes)) => self.ask(&bytes, endpoint == Endpoint::Act).await,
            _ => refused(
                StatusCode::BAD_REQUEST,
                "the body did not come as it was announced",
            ),
        }
    }

    /// The same for everybody: it may be kept, and is asked about each time.
    fn shell(&self, head: &Parts) -> Response<Body> {
        let known = head.headers.get(header::IF_NONE_MATCH);
        let (status, body) = match known.is_some_and(|known| known == self.version.as_str()) {
            true => (StatusCode::NOT_MODIFIED, Bytes::new()),
            false => (StatusCode::OK, self.html.clone()),
        };
        let mut answer = said(status, "text/html; charset=utf-8", Body::Whole(body));
        let headers = answer.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(version) = HeaderValue::from_str(&self.version) {
            headers.insert(header::ETAG, version);
        }
        answer
    }

    async fn ask(&self, bytes: &[u8], is_act: bool) -> Response<Body> {
        let Ok(asked) = serde_json::from_slice(bytes) else {
            return refused(StatusCode::BAD_REQUEST, "that is no JSON");
        };
        let (reply, mut answer) = mpsc::channel(1);
        self.desk.call(Call {
            asked,
            is_act,
            reply,
        });
        match timeout(LONGEST_WORK, answer.recv()).await {
            Ok(Some(Ok(answer))) => json(StatusCode::OK, answer),
            Ok(Some(Err((status, error)))) => json(status, failure(&error)),
            _ => {
                let message = match is_act {
                    true => "no answer yet: it may still be done",
                    false => {
                        "no answer: its index may have to be built, or its disk does not answer"
                    }
                };
                refused(StatusCode::SERVICE_UNAVAILABLE, message)
            }
        }
    }
}

fn said(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status.is_client_error() {
        // What has not been read of it is not taken for another request.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    said(status, "application/json", Body::Whole(text.into()))
}

fn refused(status: StatusCode, message: &str) -> Response<Body> {
    json(status, failure(&Error::invalid(message)))
}

/// Reads a body to its end; none where it breaks off.
async fn whole(mut body: Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) =
        std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() as u64 > MOST_BODY {
            return None;
        }
    }
    Some(bytes)
}
