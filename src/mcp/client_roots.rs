//! The roots of a client: the folders that it works in, for a server that was started elsewhere.

use std::time::Duration;

use rmcp::service::{Peer, RoleServer};

use super::file_uri::path_of;
use super::server::Server;

/// A client that declares roots and does not answer is waited for no longer: calls then say what is missing.
const PATIENCE: Duration = Duration::from_secs(5);

impl Server {
    /// Asks the client for its roots, once, where the server was started outside of a repository and none was named.
    /// Calls that come meanwhile wait for the answer.
    #[expect(deprecated, reason = "clients of today have no other way to name them")]
    pub(super) async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        let mut asked = self.shared.asked_roots.lock().await;
        if std::mem::replace(&mut *asked, true) {
            return;
        }
        let has_roots = peer
            .peer_info()
            .is_some_and(|client| client.capabilities.roots.is_some());
        if !has_roots || !self.is_outside().await {
            return;
        }
        let answer = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
        match answer {
            Ok(Ok(list)) => {
                let uris = list.roots.iter().map(|root| path_of(&root.uri));
                self.shared
                    .router
                    .set_client_roots(uris.flatten().collect());
            }
            Ok(Err(_)) | Err(_) => tracing::debug!("the client did not name its roots"),
        }
    }

    pub(super) async fn forget_roots(&self) {
        let mut asked = self.shared.asked_roots.lock().await;
        self.shared.router.set_client_roots(Vec::new());
        *asked = false;
    }

    async fn is_outside(&self) -> bool {
        let outside = self.on_thread(false, |state| state.router.is_outside());
        outside.await.unwrap_or_default()
    }
}
