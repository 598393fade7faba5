//! The same server over HTTP on the loopback address: the conformance suite speaks nothing else.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::server::Server;
use crate::ops::{Code, Error, Result};

pub(super) async fn serve(server: Server, port: u16) -> Result<()> {
    let broken = |error: std::io::Error| {
        Error::new(Code::Io, format!("can't serve on port {port}: {error}"))
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        sessions,
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await
        .map_err(broken)?;
    loop {
        let (stream, _) = listener.accept().await.map_err(broken)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            // A client that hangs up concerns no other.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
