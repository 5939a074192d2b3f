@testable import Agent
import AuthModel
import Glibc
import Localization
import ProcessHarness
import TestSupport
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
            await #expect(throws: AuthFailure.programBlocked(path)) {
                try await world.client.perform(ListRoles(TokenRequest(session: Sample.name)))
            }
            let records = try world.log.recent()
            #expect(records.map(\.activity.kind) == [.tokenRefused, .tokenRefused])
            // Equal refusals are one record.
            #expect(records.map(\.activity.count) == [2, 1])
            #expect(records.first?.activity.message.programPath == path)
            #expect(AuthFailure.programBlocked(path).isTokenRefusal)
        }
        await service.end()
    }

    /// The question to the user and the records name the role that is issued, not the one that the caller names.
    @Test func credentialsOfARoleAreForThatRole() async throws {
        let service = try await makeService()
        let role = AccountRole(account: "000000000001", role: "Admin")
        var request = TokenRequest(session: Sample.name)
        request.destination = "000000000001/ReadOnly"
        let asked = request
        _ = try await service.perform(IssueRoleCredentials(of: role, asked))
        #expect(await inner.asked.last?.destination == role.text)
        #expect(await inner.asked.last?.subject == .credentials(role.text))
        try await AgentFixture.run(service) { world in
            _ = try await world.client.perform(IssueRoleCredentials(of: role, asked))
            #expect(try world.log.recent().first?.activity.message.english.contains(role.text) == true)
        }
        await service.end()
    }

    /// The names of accounts and roles are issued as credentials are: the user is asked, and the use is recorded.
    @Test func rolesAreAskedForAndRecorded() async throws {
        let service = try await makeService()
        var request = TokenRequest(session: Sample.name)
        request.destination = "nothing"
        let asked = request
        try await AgentFixture.run(service) { world in
            let list = try await world.client.perform(ListRoles(asked))
            #expect(list.roles.map(\.role) == ["ReadOnly"] && list.listedAt == Timestamp(milliseconds: 1_800_000_000_000))
            let record = try #require(try world.log.recent().first)
            #expect(record.activity.kind == .issued && record.activity.session == Sample.name)
            #expect(record.activity.message.english.contains("roles"), "\(record.activity.message.english)")
        }
        #expect(await inner.asked.last?.subject == .list)
        await inner.change { $0.policy = .ask }
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.perform(ListRoles(asked)) }
        let events = await service.events(.interactive)
        let listed = Task { try await service.perform(ListRoles(asked)) }
        for await event in events {
            guard case .asked(let question) = event else { continue }
            #expect(question.session == Sample.name && question.subject == .list && question.destination == nil)
            try await service.answerQuestion(question.id, allows: true)
            break
        }
        #expect(try await listed.value.roles.count == 1)
        #expect(await inner.asked.last?.consent == .given)
        await service.end()
    }

    @Test(arguments: [("git", nil), ("/usr/bin/git", "/usr/bin/git"), ("/x (deleted)", "/x"), ("process 7", nil)] as [(String, String?)])
    func onlyAFullPathNamesAProgram(text: String, path: String?) {
        #expect(UserMessage.verbatim(text).programPath == path)
        #expect(UserMessage("activity.token_issued", ["program": UserMessage.verbatim(text)]).programPath == path)
    }
}
