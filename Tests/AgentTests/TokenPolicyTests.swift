@testable import Agent
import AuthModel
import Glibc
import ProcessHarness
import TestClocks
import Testing

/// Who is asked before a token leaves, and what becomes of it.
struct TokenPolicyTests {
    private let time = ManualTime()
    private let home: TemporaryHome
    private let inner = ScriptedSessionService()

    init() throws { home = try TemporaryHome() }

    private func resident(_ policy: TokenPolicy) async throws -> AgentSessionService {
        let inner = inner
        await inner.change {
            $0.policy = policy
            $0.summary.isRenewable = false
        }
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { "1" }, make: { inner }), log: ActivityLog(folder: home.path), time: time, seed: 1)
        try await service.start()
        return service
    }

    private var request: TokenRequest {
        var request = TokenRequest(session: Sample.name, caller: "/usr/bin/git")
        request.process = 7
        return request
    }

    /// The first question that comes.
    private func question(in events: AsyncStream<SessionServiceEvent>) async throws -> TokenConsentRequest {
        for await event in events {
            if case .asked(let question) = event { return question }
        }
        throw CancellationError()
    }

    @Test func aYesHandsOutOneToken() async throws {
        let service = try await resident(.ask)
        let events = await service.interactiveEvents()
        for _ in 1...2 {
            let grant = Task { [request] in try await service.token(request) }
            let question = try await question(in: events)
            #expect(question.session == Sample.name)
            #expect(question.program == "/usr/bin/git")
            #expect(question.process == 7)
            #expect(question.deadline == time.now + .seconds(30))
            try await service.answerQuestion(question.id, allows: true)
            #expect(try await grant.value == Sample.grant)
            await #expect(throws: TokenConsentRequest.isOver) { try await service.answerQuestion(question.id, allows: true) }
        }
        await service.end()
    }

    @Test func theQuestionSaysWhatTheTokenIsGoodFor() async throws {
        let service = try await resident(.ask)
        let events = await service.interactiveEvents()
        var request = request
        request.terms = TokenRestrictions(scopes: ["read"], audience: "https://api.example.org/")
        let grant = Task { [request] in try await service.token(request) }
        let question = try await question(in: events)
        #expect(question.terms == request.terms)
        try await service.answerQuestion(question.id, allows: true)
        _ = try await grant.value
        #expect(await inner.asked.last?.terms == request.terms)
        await service.end()
    }

    @Test func aNoRefuses() async throws {
        let service = try await resident(.ask)
        let events = await service.interactiveEvents()
        let grant = Task { [request] in try await service.token(request) }
        try await service.answerQuestion(question(in: events).id, allows: false)
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: false)) { try await grant.value }
        await service.end()
    }

    @Test func silenceRefuses() async throws {
        let service = try await resident(.ask)
        let events = await service.interactiveEvents()
        let grant = Task { [request] in try await service.token(request) }
        let question = try await question(in: events)
        await time.until(sleepers: 1)
        time.advance(by: TokenConsentRequest.timeLimit)
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: true)) { try await grant.value }
        await #expect(throws: TokenConsentRequest.isOver) { try await service.answerQuestion(question.id, allows: true) }
        await service.end()
    }

    @Test(arguments: [TokenRequest.Asking.service, .caller, .nobody])
    func wantsConsentWhereOnlyOthersWatch(asking: TokenRequest.Asking) async throws {
        let service = try await resident(.ask)
        let events = await service.events()
        var request = request
        request.asking = asking
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test func asksNobodyForTheFastPath() async throws {
        let service = try await resident(.ask)
        let events = await service.interactiveEvents()
        var request = request
        request.asking = .nobody
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test func aQuestionEndsWithThoseWhoCouldAnswer() async throws {
        let service = try await resident(.ask)
        // The stream goes with the task that read it.
        let asked = Task { [events = await service.interactiveEvents()] in try await question(in: events) }
        let grant = Task { [request] in try await service.token(request) }
        _ = try await asked.value
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await grant.value }
        await service.end()
    }

    @Test func consentFromTheCallerIsForOneToken() async throws {
        let service = try await resident(.ask)
        var consented = request
        consented.consent = .given
        #expect(try await service.token(consented) == Sample.grant)
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        consented.consent = .refused
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: false)) { try await service.token(consented) }
        await service.end()
    }

    @Test func denyAsksNobody() async throws {
        let service = try await resident(.deny)
        let events = await service.interactiveEvents()
        var consented = request
        consented.consent = .given
        for request in [request, consented] {
            await #expect(throws: AuthFailure.tokenDenied(Sample.name)) { try await service.token(request) }
        }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test(arguments: [TokenPolicy.ask, .deny])
    func writesDownARefusalAndWhoWasRefused(policy: TokenPolicy) async throws {
        let service = ScriptedSessionService()
        await service.change { $0.policy = policy }
        try await AgentWorld.run(service) { world in
            for asking in [TokenRequest.Asking.nobody, .service] {
                var request = TokenRequest(session: Sample.named("work"))
                request.asking = asking
                await #expect(throws: AuthFailure.self) { try await world.client.token(request) }
            }
            let records = try world.log.recent()
            #expect(records.map(\.activity.kind) == [.tokenRefused])
            #expect(records.first?.process == getpid())
            #expect(records.first?.activity.session == Sample.name)
        }
    }

    /// What the request says of itself counts for nothing.
    @Test func theQuestionNamesWhoAsksAsTheKernelSays() async throws {
        let service = try await resident(.ask)
        try await AgentWorld.run(service) { world in
            let events = await world.client.interactiveEvents()
            let asked = Task { try await question(in: events) }
            while await service.answering.isEmpty { await Task.yield() }
            let grant = Task { try await world.client.token(TokenRequest(session: Sample.name, caller: "an honest program")) }
            let wanted = try await asked.value
            #expect(wanted.process == getpid())
            #expect(wanted.program == Caller(process: getpid(), user: getuid()).program)
            try await world.client.answerQuestion(wanted.id, allows: true)
            #expect(try await grant.value.token == Sample.grant.token)
            // So does what the answer says: here it comes from the very process that asked.
            #expect(await inner.asked.last?.consentConfirmation?.process == getpid())
            let record = try #require(try world.log.recent().first)
            #expect(record.activity.kind == .issued)
            #expect(record.process == getpid())
        }
        await service.end()
    }

    /// No client can name a witness for the consent that it reports itself.
    @Test func aConsentThatTheCallerReportsHasNoWitness() async throws {
        let service = try await resident(.ask)
        try await AgentWorld.run(service) { world in
            var request = TokenRequest(session: Sample.name)
            request.consent = .given
            request.consentConfirmation = ConsentConfirmation(program: "/usr/bin/app", process: 1)
            _ = try await world.client.token(request)
            let asked = await inner.asked.last
            #expect(asked?.consent == .given && asked?.consentConfirmation == nil)
        }
        await service.end()
    }

    @Test func anAnswerReachesTheKeeper() async throws {
        let service = ScriptedSessionService()
        try await AgentWorld.run(service) { world in
            try await world.client.answerQuestion(Sample.question.id, allows: true)
            #expect(await service.allowances == ["x-1": true])
            await #expect(throws: TokenConsentRequest.isOver) {
                try await world.client.answerQuestion(TokenConsentRequest.ID("x-2"), allows: true)
            }
        }
    }
}
