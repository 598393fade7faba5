//! Standard input and output as a transport: JSON-RPC, a message a line, nothing else.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::service::{
    RoleServer, RxJsonRpcMessage, ServerInitializeError, ServiceExt, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::message::{InputLine, parse, refusal};
use super::server::Server;
use super::state::ServerState;
use crate::ops::{Code, Error, Result};

const LONGEST_LINE: usize = 16 << 20;
/// Bytes that are kept of a longer line, to find the id of its request.
const BEGINNING: usize = 1 << 10;

/// Serves until the input ends; an input that ends before anything was asked is no error.
pub(super) async fn serve(server: Server) -> Result<()> {
    let (reader, writer) = stdio_pipes();
    let transport = Stdio {
        read: BufReader::with_capacity(1 << 16, reader),
        line: Vec::new(),
        overlong: false,
        write: Arc::new(Mutex::new(writer)),
        opened: false,
        state: server.shared.clone(),
    };
    let broken = |what: String| Error::new(Code::Io, format!("the connection broke: {what}"));
    match server.serve(transport).await {
        Ok(service) => service
            .waiting()
            .await
            .map(|_| ())
            .map_err(|error| broken(error.to_string())),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(broken(error.to_string())),
    }
}

struct Stdio {
    read: BufReader<StdioReader>,
    line: Vec<u8>,
    overlong: bool,
    write: Arc<Mutex<StdioWriter>>,
    opened: bool,
    state: Arc<ServerState>,
}

impl Stdio {
    /// Reads on until a line is whole; false at the end of the input. May be dropped and called again.
    async fn read_line(&mut self) -> bool {
        loop {
            let Ok(available) = self.read.fill_buf().await else {
                return false;
            };
            if available.is_empty() {
                // A last line needs no end of line.
                return !self.line.is_empty();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if !self.overlong {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            // The beginning is kept, since the id of the request may be in it.
            if self.line.len() > LONGEST_LINE {
                self.line.truncate(BEGINNING);
                self.line.shrink_to_fit();
                self.overlong = true;
            }
            if end.is_some() {
                return true;
            }
        }
    }

    fn take_line(&mut self) -> InputLine {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            return refusal(&line, -32600, "the message is longer than 16 MB");
        }
        parse(&line)
    }

    /// Answers a line that is no message. In a task of its own, as `receive` may be cancelled in
    /// the middle.
    fn refuse(&self, answer: String) {
        let write = self.write.clone();
        // Not awaited: a client that reads no answers must not keep us from reading its messages.
        tokio::spawn(async move { send(&write, answer).await });
    }
}

async fn send(write: &Mutex<StdioWriter>, mut line: String) -> std::io::Result<()> {
    line.push('\n');
    let mut write = write.lock().await;
    write.write_all(line.as_bytes()).await?;
    write.flush().await
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let write = self.write.clone();
        async move { send(&write, serde_json::to_string(&item)?).await }
    }

    /// Returns the next message; before the first request any other is ignored, since a stray
    /// notification is no reason to give up.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.read_line().await {
            match self.take_line() {
                InputLine::Message(message) => {
                    // rmcp ends when the first message is no request, so what comes before one is dropped.
                    self.opened |= matches!(*message, RxJsonRpcMessage::<RoleServer>::Request(_));
                    if self.opened {
                        return Some(*message);
                    }
                }
                InputLine::Refused(answer) => self.refuse(answer),
                InputLine::Nothing => {}
            }
        }
        self.state.input_over.store(true, Ordering::Relaxed);
        None
    }

    async fn close(&mut self) -> std::io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}
