import AuthModel

@testable import TerminalApp
@testable import TerminalAppModel

/// What the tests of the terminal app do not use: a failure, or nothing.
extension InMemorySessionService {
    private static let unused = AuthFailure(.bug, text: "the session service in memory cannot do this")

    func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events() }
    func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        throw Self.unused
    }
    func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) { throw Self.unused }
    func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? { throw Self.unused }
    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        throw Self.unused
    }
    func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        throw Self.unused
    }
    func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) { throw Self.unused }
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String { throw Self.unused }
    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] { try await session(name).tokens }
    func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] { throw Self.unused }
    func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary { throw Self.unused }
    func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome { throw Self.unused }
    func stopWaiting(for id: BrowserReturn.ID) async {}
    func deliverRevocations() async -> Timestamp? { nil }
    func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) { throw Self.unused }
    func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { [] }
    func keep(_ management: ClientManagement) async throws(AuthFailure) { throw Self.unused }
    func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool { false }
    func needsPassphrase() async -> Bool { true }
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}
    func retire() async {}
}
