@testable import Agent
import AuthModel
import Glibc
import Localization
import ProcessHarness
import TestSupport
import Testing

/// Consent for tokens: who is asked, and what is recorded.
@Suite(.startsPrograms) struct TokenPolicyTests {
    private let time = ManualTime()
    private let home: TemporaryHome
    private let inner = ScriptedSessionService()

    init() throws { home = try TemporaryHome() }

    private func makeService(_ policy: TokenPolicy) async throws -> AgentSessionService {
        let inner = inner
        await inner.change {
            $0.policy = policy
            $0.summary.isRenewable = false
        }
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: home.path), time: time, seed: 1)
        try await service.start()
        return service
    }

    private var request: TokenRequest {
        var request = TokenRequest(session: Sample.name, caller: "/usr/bin/git")
        request.process = 7
        return request
    }

    /// Returns the first consent request.
    private func question(in events: AsyncStream<SessionServiceEvent>) async throws -> TokenConsentRequest {
        for await event in events {
            if case .asked(let question) = event { return question }
        }
        throw CancellationError()
    }

    @Test func consentIssuesOneToken() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
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

    /// A program that asks a hundred times at once gets one question. After a refusal it gets none for a while, but other programs do.
    @Test(.timeLimit(.minutes(10))) func oneQuestionOfAProgramIsOpenAndARefusalMutesIt() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        let request = request
        let results = await withTaskGroup(of: Result<IssuedToken, any Error>.self) { group in
            for number in 0..<100 {
                group.addTask {
                    var request = request
                    request.destination = "place \(number)"
                    do { return .success(try await service.token(request)) } catch { return .failure(error) }
                }
            }
            while await inner.asked.count < 100 { await Task.yield() }
            let first = try? await question(in: events)
            if let first { try? await service.answerQuestion(first.id, allows: false) }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        await #expect(throws: AuthFailure.tokenRefusedBefore(Sample.name, pause: TokenConsentRequest.mutedTime(isForwarded: false))) {
            try await service.token(request)
        }
        var other = request
        other.caller = .verbatim("/usr/bin/curl")
        let grant = Task { [other] in try await service.token(other) }
        // The next question is that of the other program.
        let second = try await question(in: events)
        #expect(second.program == .verbatim("/usr/bin/curl"))
        try await service.answerQuestion(second.id, allows: true)
        _ = try await grant.value
        time.advance(by: TokenConsentRequest.mutedTime(isForwarded: false))
        let later = Task { try await service.token(request) }
        try await service.answerQuestion(question(in: events).id, allows: true)
        _ = try await later.value
        await service.end()
    }

    /// Requests for different things are asked one after another.
    @Test func nextQuestionFollowsAConsent() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        let request = request
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in ["one", "two"] {
                group.addTask {
                    var request = request
                    request.destination = place
                    _ = try await service.token(request)
                }
            }
            var places: Set<String?> = []
            for _ in 1...2 {
                let question = try await question(in: events)
                places.insert(question.destination)
                try await service.answerQuestion(question.id, allows: true)
            }
            #expect(places == ["one", "two"])
            try await group.waitForAll()
        }
        await service.end()
    }

    @Test func consentRequestNamesTheRestrictions() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        var request = request
        request.restrictions = TokenRestrictions(scopes: ["read"], audience: "https://api.example.org/")
        let grant = Task { [request] in try await service.token(request) }
        let question = try await question(in: events)
        #expect(question.restrictions == request.restrictions)
        try await service.answerQuestion(question.id, allows: true)
        _ = try await grant.value
        #expect(await inner.asked.last?.restrictions == request.restrictions)
        await service.end()
    }

    @Test func refusedConsentIssuesNoToken() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        let grant = Task { [request] in try await service.token(request) }
        try await service.answerQuestion(question(in: events).id, allows: false)
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: false)) { try await grant.value }
        await service.end()
    }

    @Test func unansweredConsentIssuesNoToken() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        let grant = Task { [request] in try await service.token(request) }
        let question = try await question(in: events)
        await time.until(sleepers: 1)
        time.advance(by: TokenConsentRequest.timeLimit)
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: true)) { try await grant.value }
        await #expect(throws: TokenConsentRequest.isOver) { try await service.answerQuestion(question.id, allows: true) }
        await service.end()
    }

    @Test(arguments: [TokenRequest.Asking.service, .caller, .noPrompt])
    func consentIsRequiredIfNoWatcherCanAnswer(asking: TokenRequest.Asking) async throws {
        let service = try await makeService(.ask)
        let events = await service.events()
        var request = request
        request.asking = asking
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test func launcherRequestAsksNoUser() async throws {
        let service = try await makeService(.ask)
        let events = await service.events(.interactive)
        var request = request
        request.asking = .noPrompt
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test func consentRequestEndsWithItsWatchers() async throws {
        let service = try await makeService(.ask)
        // The stream ends with the task that reads it.
        let asked = Task { [events = await service.events(.interactive)] in try await question(in: events) }
        let grant = Task { [request] in try await service.token(request) }
        _ = try await asked.value
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await grant.value }
        await service.end()
    }

    @Test func consentFromTheCallerIsForOneToken() async throws {
        let service = try await makeService(.ask)
        var consented = request
        consented.consent = .given
        #expect(try await service.token(consented) == Sample.grant)
        await #expect(throws: AuthFailure.consentRequired(Sample.name)) { try await service.token(request) }
        consented.consent = .refused
        await #expect(throws: AuthFailure.tokenRefused(Sample.name, isUnanswered: false)) { try await service.token(consented) }
        await service.end()
    }

    @Test func denyRefusesWithoutAsking() async throws {
        let service = try await makeService(.deny)
        let events = await service.events(.interactive)
        var consented = request
        consented.consent = .given
        for request in [request, consented] {
            await #expect(throws: AuthFailure.tokenDenied(Sample.name)) { try await service.token(request) }
        }
        withExtendedLifetime(events) {}
        await service.end()
    }

    @Test(arguments: [TokenPolicy.ask, .deny])
    func recordsARefusalWithItsCaller(policy: TokenPolicy) async throws {
        await inner.change { $0.policy = policy }
        try await AgentFixture.run(inner) { world in
            for asking in [TokenRequest.Asking.noPrompt, .service] {
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

    /// What the client says about itself is ignored.
    @Test func consentRequestNamesTheProcessFromTheKernel() async throws {
        let service = try await makeService(.ask)
        try await AgentFixture.run(service) { world in
            let events = await world.client.events(.interactive)
            let asked = Task { try await question(in: events) }
            while await !service.questions.canAsk { await Task.yield() }
            let grant = Task { try await world.client.token(TokenRequest(session: Sample.name, caller: "an honest program")) }
            let wanted = try await asked.value
            #expect(wanted.process == getpid())
            let caller = Caller(process: getpid(), user: getuid())
            #expect(wanted.program == caller.message && wanted.program.programPath == caller.program)
            try await world.client.answerQuestion(wanted.id, allows: true)
            #expect(try await grant.value.token == Sample.grant.token)
            // The process of the answer is recorded as well: here it is the process that asked.
            #expect(await inner.asked.last?.witness?.process == getpid())
            let record = try #require(try world.log.recent().first)
            #expect(record.activity.kind == .issued)
            #expect(record.process == getpid())
        }
        await service.end()
    }

    /// A client cannot name a witness for consent that it reports itself.
    @Test func consentReportedByTheCallerHasNoWitness() async throws {
        let service = try await makeService(.ask)
        try await AgentFixture.run(service) { world in
            var request = TokenRequest(session: Sample.name)
            request.consent = .given
            request.witness = RequestingProcess(program: "/usr/bin/app", process: 1)
            _ = try await world.client.token(request)
            let asked = await inner.asked.last
            #expect(asked?.consent == .given && asked?.witness == nil)
        }
        await service.end()
    }

    @Test func answerReachesTheSessionService() async throws {
        try await AgentFixture.run(inner) { world in
            try await world.client.answerQuestion(Sample.question.id, allows: true)
            #expect(await inner.allowances == ["x-1": true])
            await #expect(throws: TokenConsentRequest.isOver) {
                try await world.client.answerQuestion(TokenConsentRequest.ID("x-2"), allows: true)
            }
        }
    }
}
