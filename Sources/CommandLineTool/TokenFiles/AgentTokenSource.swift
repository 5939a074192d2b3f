internal import Agent
internal import AuthModel
internal import TokenFiles

/// The agent as the source of the tokens in files.
struct AgentTokenSource: TokenFileSource {
    let service: AgentSessionService

    func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken { try await service.freshToken(request) }
    func isLocked() async -> Bool { (try? await service.seal()) != .unlocked }
    func changes() -> AsyncStream<Void> { service.changes() }
    func keepRunning(_ isNeeded: Bool) { service.keepRunning(isNeeded) }
}
