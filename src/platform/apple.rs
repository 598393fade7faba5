//! macOS and its kin: what their kernel says by `sysctl`, since they have no `/proc`.

use sysctl::{Ctl, Sysctl as _};

/// Returns the name of this host; empty where the kernel does not say.
pub(crate) fn host_name() -> String {
    sysctl_text("kern.hostname")
}

/// Returns the id of the present boot of this machine; empty where the kernel does not say.
pub(crate) fn boot_id() -> String {
    sysctl_text("kern.bootsessionuuid")
}

fn sysctl_text(name: &str) -> String {
    let found = Ctl::new(name).and_then(|ctl| ctl.value_string());
    found.unwrap_or_default().trim().to_owned()
}
