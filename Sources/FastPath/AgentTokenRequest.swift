internal import CLauncher

/// The request of `yett token SESSION` to the agent.
///
/// All other command lines have no such request.
struct AgentTokenRequest: AgentRequest {
    /// The session name from the command line.
    let session: UnsafePointer<CChar>
    let environment: LauncherEnvironment

    /// Creates the request for a command line; returns `nil` for any other command.
    init?(_ line: CommandLineArguments, environment: LauncherEnvironment) {
        guard line.count == 3, line.is("token", at: 1), let session = line[2], session[0] != 0,
            session[0] != CChar(bitPattern: UInt8(ascii: "-")), environment.allowsAgent
        else { return nil }
        self.session = session
        self.environment = environment
    }

    var path: StaticString { "/v1/token" }

    func write(body: inout ByteWriter) {
        body.append("{\"session\":\"")
        body.append(plain: session)
        // If the user must be asked, the full program does it.
        body.append("\",\"ask\":\"nobody\"}")
    }
}
