@testable import Agent
import AuthModel
import Glibc
import ProcessHarness
import TestClocks
import Testing

/// Who is asked before a token leaves, and what becomes of it.
struct HandOutPolicyTests {
    private let time = ManualTime()
    private let home: TemporaryHome
    private let inner = ScriptedKeeper()

    init() throws { home = try TemporaryHome() }

    private func resident(_ policy: HandOutPolicy) async throws -> ResidentKeeper {
        let inner = inner
        await inner.change {
            $0.policy = policy
            $0.summary.isRenewable = false
        }
        let keeper = ResidentKeeper(
            source: KeeperSource(revision: { "1" }, make: { inner }), log: ActivityLog(folder: home.path), time: time, seed: 1)
        try await keeper.start()
        return keeper
    }

    private var request: TokenRequest {
        var request = TokenRequest(session: Sample.name, caller: "/usr/bin/git")
        request.process = 7
        return request
    }

    /// The first question that comes.
    private func question(in events: AsyncStream<KeeperEvent>) async throws -> HandOutQuestion {
        for await event in events {
            if case .asked(let question) = event { return question }
        }
        throw CancellationError()
    }

    @Test func aYesHandsOutOneToken() async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.answerableEvents()
        for _ in 1...2 {
            let grant = Task { [request] in try await keeper.token(request) }
            let question = try await question(in: events)
            #expect(question.session == Sample.name)
            #expect(question.program == "/usr/bin/git")
            #expect(question.process == 7)
            #expect(question.deadline == time.now + .seconds(30))
            try await keeper.answerQuestion(question.id, allows: true)
            #expect(try await grant.value == Sample.grant)
            await #expect(throws: HandOutQuestion.isOver) { try await keeper.answerQuestion(question.id, allows: true) }
        }
        await keeper.end()
    }

    @Test func theQuestionSaysWhatTheTokenIsGoodFor() async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.answerableEvents()
        var request = request
        request.terms = TokenTerms(scopes: ["read"], audience: "https://api.example.org/")
        let grant = Task { [request] in try await keeper.token(request) }
        let question = try await question(in: events)
        #expect(question.terms == request.terms)
        try await keeper.answerQuestion(question.id, allows: true)
        _ = try await grant.value
        #expect(await inner.asked.last?.terms == request.terms)
        await keeper.end()
    }

    @Test func aNoRefuses() async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.answerableEvents()
        let grant = Task { [request] in try await keeper.token(request) }
        try await keeper.answerQuestion(question(in: events).id, allows: false)
        await #expect(throws: AuthFailure.handOutRefused(Sample.name, isUnanswered: false)) { try await grant.value }
        await keeper.end()
    }

    @Test func silenceRefuses() async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.answerableEvents()
        let grant = Task { [request] in try await keeper.token(request) }
        let question = try await question(in: events)
        await time.until(sleepers: 1)
        time.advance(by: HandOutQuestion.timeLimit)
        await #expect(throws: AuthFailure.handOutRefused(Sample.name, isUnanswered: true)) { try await grant.value }
        await #expect(throws: HandOutQuestion.isOver) { try await keeper.answerQuestion(question.id, allows: true) }
        await keeper.end()
    }

    @Test(arguments: [TokenRequest.Asking.keeper, .caller, .nobody])
    func wantsConsentWhereOnlyOthersWatch(asking: TokenRequest.Asking) async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.events()
        var request = request
        request.asking = asking
        await #expect(throws: AuthFailure.consentWanted(Sample.name)) { try await keeper.token(request) }
        withExtendedLifetime(events) {}
        await keeper.end()
    }

    @Test func asksNobodyForTheFastPath() async throws {
        let keeper = try await resident(.ask)
        let events = await keeper.answerableEvents()
        var request = request
        request.asking = .nobody
        await #expect(throws: AuthFailure.consentWanted(Sample.name)) { try await keeper.token(request) }
        withExtendedLifetime(events) {}
        await keeper.end()
    }

    @Test func aQuestionEndsWithThoseWhoCouldAnswer() async throws {
        let keeper = try await resident(.ask)
        // The stream goes with the task that read it.
        let asked = Task { [events = await keeper.answerableEvents()] in try await question(in: events) }
        let grant = Task { [request] in try await keeper.token(request) }
        _ = try await asked.value
        await #expect(throws: AuthFailure.consentWanted(Sample.name)) { try await grant.value }
        await keeper.end()
    }

    @Test func consentFromTheCallerIsForOneToken() async throws {
        let keeper = try await resident(.ask)
        var consented = request
        consented.consent = .given
        #expect(try await keeper.token(consented) == Sample.grant)
        await #expect(throws: AuthFailure.consentWanted(Sample.name)) { try await keeper.token(request) }
        consented.consent = .refused
        await #expect(throws: AuthFailure.handOutRefused(Sample.name, isUnanswered: false)) { try await keeper.token(consented) }
        await keeper.end()
    }

    @Test func denyAsksNobody() async throws {
        let keeper = try await resident(.deny)
        let events = await keeper.answerableEvents()
        var consented = request
        consented.consent = .given
        for request in [request, consented] {
            await #expect(throws: AuthFailure.handOutDenied(Sample.name)) { try await keeper.token(request) }
        }
        withExtendedLifetime(events) {}
        await keeper.end()
    }

    @Test(arguments: [HandOutPolicy.ask, .deny])
    func writesDownARefusalAndWhoWasRefused(policy: HandOutPolicy) async throws {
        let keeper = ScriptedKeeper()
        await keeper.change { $0.policy = policy }
        try await AgentWorld.run(keeper) { world in
            for asking in [TokenRequest.Asking.nobody, .keeper] {
                var request = TokenRequest(session: Sample.named("work"))
                request.asking = asking
                await #expect(throws: AuthFailure.self) { try await world.client.token(request) }
            }
            let records = try world.log.recent()
            #expect(records.map(\.activity.kind) == [.handOutRefused])
            #expect(records.first?.process == getpid())
            #expect(records.first?.activity.session == Sample.name)
        }
    }

    /// What the request says of itself counts for nothing.
    @Test func theQuestionNamesWhoAsksAsTheKernelSays() async throws {
        let keeper = try await resident(.ask)
        try await AgentWorld.run(keeper) { world in
            let events = await world.client.answerableEvents()
            let asked = Task { try await question(in: events) }
            while await keeper.answering.isEmpty { await Task.yield() }
            let grant = Task { try await world.client.token(TokenRequest(session: Sample.name, caller: "an honest program")) }
            let wanted = try await asked.value
            #expect(wanted.process == getpid())
            #expect(wanted.program == Caller(process: getpid(), user: getuid()).program)
            try await world.client.answerQuestion(wanted.id, allows: true)
            #expect(try await grant.value.token == Sample.grant.token)
            // So does what the answer says: here it comes from the very process that asked.
            #expect(await inner.asked.last?.consentWitness?.process == getpid())
            let record = try #require(try world.log.recent().first)
            #expect(record.activity.kind == .handedOut)
            #expect(record.process == getpid())
        }
        await keeper.end()
    }

    /// No client can name a witness for the consent that it reports itself.
    @Test func aConsentThatTheCallerReportsHasNoWitness() async throws {
        let keeper = try await resident(.ask)
        try await AgentWorld.run(keeper) { world in
            var request = TokenRequest(session: Sample.name)
            request.consent = .given
            request.consentWitness = ConsentWitness(program: "/usr/bin/app", process: 1)
            _ = try await world.client.token(request)
            let asked = await inner.asked.last
            #expect(asked?.consent == .given && asked?.consentWitness == nil)
        }
        await keeper.end()
    }

    @Test func anAnswerReachesTheKeeper() async throws {
        let keeper = ScriptedKeeper()
        try await AgentWorld.run(keeper) { world in
            try await world.client.answerQuestion(Sample.question.id, allows: true)
            #expect(await keeper.allowances == ["x-1": true])
            await #expect(throws: HandOutQuestion.isOver) { try await world.client.answerQuestion(HandOutQuestion.ID("x-2"), allows: true) }
        }
    }
}
