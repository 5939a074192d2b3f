@testable import Agent
import AuthModel
import Glibc
import ProcessHarness
import TestClocks
import TestConcurrency
import Testing

/// `[agent] blocked_programs`: who gets no token, and what is recorded.
@Suite(.startsProgramsAlone) struct BlockedProgramTests {
    private let inner = ScriptedSessionService()
    private let blocked = BlockedPrograms(["/usr/bin/git"])
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    private func makeService() async throws -> AgentSessionService {
        let inner = inner
        await inner.change { $0.summary.isRenewable = false }
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: home.path), time: ManualTime(),
            blocked: blocked, seed: 1)
        try await service.start()
        return service
    }

    @Test(
        arguments: [
            .verbatim("/usr/bin/git"), .verbatim("/usr/bin/git (deleted)"),
            UserMessage("phrase.program_through_yett", ["program": "/usr/bin/git"]),
        ] as [UserMessage])
    func blockedProgramGetsNothingNewAndNothingCached(caller: UserMessage) async throws {
        let service = try await makeService()
        let allowed = TokenRequest(session: Sample.name, caller: .verbatim("/usr/bin/git-lfs"))
        let token = try await service.token(allowed)
        #expect(service.cachedToken(for: allowed) != nil)
        var request = TokenRequest(session: Sample.name, caller: caller)
        var events = await service.events().makeAsyncIterator()
        #expect(service.cachedToken(for: request) == nil)
        await #expect(throws: AuthFailure.programBlocked("/usr/bin/git")) { try await service.token(request) }
        // Those who watch see it at once.
        guard case .activity(let activity)? = await events.next() else { throw HarnessError("no activity") }
        #expect(activity.kind == .tokenRefused)
        #expect(activity.session == Sample.name)
        #expect(activity.message.programPath == "/usr/bin/git")
        await #expect(throws: AuthFailure.programBlocked("/usr/bin/git")) {
            try await service.derivedCredential(for: "aws", request)
        }
        request.consent = .given
        await #expect(throws: AuthFailure.programBlocked("/usr/bin/git")) { try await service.token(request) }
        blocked.set([])
        #expect(try await service.token(TokenRequest(session: Sample.name, caller: caller)) == token)
        await service.end()
    }

    /// The path comes from the kernel, and the refusal stands in the activity with the program.
    @Test func refusalIsRecordedWithTheProgram() async throws {
        let path = try #require(Caller(process: getpid(), user: getuid()).program)
        blocked.set([path])
        let service = try await makeService()
        try await AgentFixture.run(service) { world in
            await #expect(throws: AuthFailure.programBlocked(path)) {
                try await world.client.token(TokenRequest(session: Sample.name, caller: "/usr/bin/other"))
            }
            let proof = ProofRequest(
                session: Sample.name, accessToken: Secret("t"), method: "GET", url: try #require(WebURL("https://a.example/")))
            await #expect(throws: AuthFailure.programBlocked(path)) { try await world.client.proof(proof) }
            let records = try world.log.recent()
            #expect(records.map(\.activity.kind) == [.tokenRefused, .tokenRefused])
            #expect(records.last?.activity.message.programPath == path)
            #expect(AuthFailure.programBlocked(path).isTokenRefusal)
        }
        await service.end()
    }

    @Test(arguments: [("git", nil), ("/usr/bin/git", "/usr/bin/git"), ("/x (deleted)", "/x"), ("process 7", nil)] as [(String, String?)])
    func onlyAFullPathNamesAProgram(text: String, path: String?) {
        #expect(UserMessage.verbatim(text).programPath == path)
        #expect(UserMessage("activity.token_issued", ["program": UserMessage.verbatim(text)]).programPath == path)
    }
}
