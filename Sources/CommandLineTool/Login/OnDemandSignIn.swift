internal import Agent
internal import AuthModel
internal import Localization
internal import Synchronization
internal import UserConfiguration

/// Signs the user in, once for a command, when a tool needs a token of a session that is missing or has ended: `sign_in = "on-demand"`.
final class OnDemandSignIn: Sendable {
    private let context: CommandContext
    private let isUsed = Mutex(false)

    init(_ context: CommandContext) { self.context = context }

    /// Runs a sign-in for a session; throws `failure`, why it is needed, if there may be none.
    fileprivate func signIn(to session: SessionName, because failure: AuthFailure) async throws(AuthFailure) {
        guard [.notSignedIn, .signInAgain].contains(failure.kind),
            let provider = try context.configurationFile().read().providers.first(where: { $0.name == session.provider }),
            provider.signInMode == .onDemand,
            // The sessions are on another machine, and so is their user.
            context.agentLocation.remoteSocket == nil
        else { throw failure }
        // The agent is no program of a terminal or a desktop: the full program finds out who is at the caller's.
        guard context.edges.sessionService == nil else { throw LauncherCommand.needsProgram }
        let presence = context.edges.userPresence()
        guard presence.isPresent, claim() else { throw failure }
        context.console.note("you must sign in: \(failure.summary)")
        let status = await (try context.signInTurn(at: provider)).run {
            await context.login([session.description], on: presence.terminal == .foreground ? .terminal : .standardError)
        }
        guard !Task.isCancelled else { throw AuthFailure(.cancelled, text: "the sign-in was cancelled") }
        guard let status else { throw failure }
        guard !LoginProcess.isSignedIn(after: status) else { return }
        throw AuthFailure(
            AuthFailure.Kind(exitCode: status) ?? failure.kind, text: "the sign-in at \(provider.name) did not succeed",
            hint: "try again with: yett login \(session.shellWord)")
    }

    /// Returns whether this is the first sign-in of the command.
    private func claim() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }
}

extension OnDemandSignIn? {
    /// Runs `body`. If it fails because the user must sign in, and may do so now, runs a sign-in and `body` once more.
    ///
    /// Throws the failure of `body` if there is no sign-in, otherwise how the sign-in ended.
    ///
    /// - Parameter session: the session that `body` needs; `nil` if that is unknown, and then there is no sign-in.
    func retrying<Value>(
        _ session: @autoclosure () -> SessionName?, _ body: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        do throws(AuthFailure) {
            return try await body()
        } catch {
            guard let self, let session = session() else { throw error }
            try await self.signIn(to: session, because: error)
        }
        return try await body()
    }
}

extension CommandContext {
    /// Returns the only configured provider as the name of a session; `nil` if there are several.
    func onlyProvider() throws(AuthFailure) -> SessionName? {
        let providers = try configurationFile().read().providers
        return providers.count == 1 ? SessionName(provider: providers[0].name, account: nil) : nil
    }
}
