internal import Agent
internal import AuthModel
internal import TokenFiles
internal import UserConfiguration

extension CommandContext {
    /// Returns the list of the files that the agent keeps fresh.
    func tokenFiles() throws(AuthFailure) -> TokenFileList { TokenFileList(folder: try directories.state) }

    /// Returns the absolute form of a path.
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(edges.workingDirectory)/\(path)" }

    /// Returns an entry for the list. Throws `.configuration` if the agent could not keep the file fresh.
    func tokenFile(
        _ path: String, of session: SessionName, _ wanted: TokenRequest.Wanted, _ restrictions: TokenRestrictions
    ) async throws(AuthFailure) -> TokenFile {
        guard agentLocation.remoteSocket == nil, try await agentClient().status() != nil else {
            throw AuthFailure(
                .configuration, text: "without an agent on this machine, a file would not be kept fresh", hint: "start it: yett agent start"
            )
        }
        let provider = try configurationFile().read().named(session.provider.text)
        guard provider.policy == .allow else {
            throw AuthFailure(
                .configuration,
                text: "policy = \"\(provider.policy.rawValue)\" in [providers.\(provider.name)] does not allow files with tokens",
                hint: "a program that reads a file cannot be asked about; use yett exec or yett proxy")
        }
        return TokenFile(path: absolute(path), session: session, wanted: wanted, restrictions: restrictions)
    }
}
