//! The names of tools that texts of the server lead to.

/// Chooses the repository of later calls.
pub(in crate::mcp) const SET_CONTEXT: &str = "set_context";
/// Calls any tool, in the profile that describes tools one by one.
pub(in crate::mcp) const CALL_TOOL: &str = "call_tool";
