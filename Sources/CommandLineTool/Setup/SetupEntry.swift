internal import AuthModel

/// A target of a tool that gets its credentials from Yett.
struct SetupEntry: Equatable, Sendable {
    let tool: SetupTool
    let target: String
    /// The session; `nil` if it is chosen by the host.
    let session: SessionName?
    /// The URL to which the tool sends the tokens; `nil` if that is not known.
    var destination: WebURL?
}
