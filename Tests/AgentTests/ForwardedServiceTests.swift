@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import Synchronization
import TestSupport
import Testing

/// The restricted socket: what a caller on another machine can and cannot do.
@Suite(.startsPrograms) struct ForwardedServiceTests {
    private let inner = ScriptedSessionService()
    private let forwarded: ForwardedSessions
    private let service: ForwardedService
    private let time = ManualTime(now: Timestamp(milliseconds: 1_799_999_000_000))

    init() {
        forwarded = ForwardedSessions(["work/*"].compactMap(SessionPattern.init))
        let whole = AgentService(
            service: inner,
            facts: AgentFacts(
                version: "1.0.0", home: AgentHome(store: "/home/ada/store", configuration: "/home/ada/config.toml"),
                startedAt: Timestamp(milliseconds: 1), trustedFiles: ["/home/ada/bin/yett-main"]),
            log: ActivityLog(folder: nil), time: time, stop: { Issue.record("the agent was stopped") })
        service = ForwardedService(service: whole, forwarded: forwarded, owner: { "ada@laptop" })
    }

    private func answer(
        _ route: OperationRoute, _ body: JSONValue = .object([]), attempt: String? = nil
    ) async -> (status: Int, document: JSONValue) {
        let target = route.request(.object(attempt.map { [.init(OperationRoute.variable, .string($0))] } ?? [])).target
        let request = AgentRequest(
            method: route.method.rawValue, target: target, store: "/far", configuration: "/far/config.toml",
            body: Array(body.text.utf8), caller: Caller(process: getpid(), user: geteuid()))
        #expect(service.cachedAnswer(request) == nil)
        guard case .document(let status, let bytes) = await service.answer(request) else {
            Issue.record("\(route.name) was answered with a stream")
            return (0, .null)
        }
        return (status, (try? JSONValue(strict: bytes)) ?? .null)
    }

    @Test func onlyListingAndIssuingAreAnswered() async {
        let routes = AgentRouter.shared.entries.map(\.route)
        for route in routes where !route.rules.contains(.isForwarded) {
            let answer = await answer(route, attempt: "1")
            #expect(answer.status == 403, "\(route.name)")
            #expect(answer.document["error"]?["kind"]?.string == "denied", "\(route.name)")
        }
        let answered: Set = [
            .agent, ListProviders.route, ListSessions.route, ReadSeal.route, IssueToken.route, CreateProof.route,
        ]
        #expect(Set(routes.filter { $0.rules.contains(.isForwarded) }) == answered)
        let cancelled = await inner.cancelled, locks = await inner.locks, modes = await inner.modes, unlocks = await inner.unlocks
        #expect(cancelled.isEmpty && locks == 0 && modes.isEmpty && unlocks == 0)
    }

    @Test func statusNamesTheOwnerAndNoPath() async {
        let status = await answer(.agent).document
        #expect(status["forwarded_by"] == "ada@laptop")
        #expect(!status.text.contains("/home/ada") && status["trusted_files"] == .array([]))
    }

    @Test func onlyForwardedSessionsAreListedAndIssued() async throws {
        var other = Sample.session
        other.name = Sample.named("git/bob")
        var second = Sample.session
        second.name = Sample.named("work/bob")
        let (otherSession, secondSession) = (other, second)
        await inner.change { $0.others = [otherSession, secondSession] }
        #expect(await names() == ["work/Ada Lovelace", "work/bob"])
        #expect(await answer(IssueToken.route, ["session": "git/bob"]).document["error"]?["kind"]?.string == "not_signed_in")
        #expect(await inner.asked.isEmpty)
        // The default account is bob's.
        #expect(await answer(IssueToken.route, ["session": "work"]).status == 200)
        #expect(await inner.asked.last?.session == second.name)
        forwarded.set([])
        #expect(await names() == [])
        #expect(await answer(IssueToken.route, ["session": "work/bob"]).status != 200)
        #expect(await inner.asked.count == 1)
    }

    private func names() async -> [String] {
        await (answer(ListSessions.route).document["sessions"]?.array ?? []).compactMap { $0["session"]?.string }
    }

    /// The policy `ask` asks the user at the agent's machine; the far side cannot say that they agreed.
    @Test func callerCannotGiveTheUsersConsent() async throws {
        let body: JSONValue = [
            "session": "work/Ada Lovelace", "consent": "given", "ask": "caller",
            "web_server_login": ["origin": "https://maps.example.org", "scheme": "basic", "username": "eve", "password": "x"],
        ]
        #expect(await answer(IssueToken.route, body).status == 200)
        let asked = try #require(await inner.asked.last)
        #expect(asked.consent == nil && asked.asking == .service && asked.webServerLogin == nil && asked.witness == nil)
    }

    /// The far side cannot choose a validity or scopes, force a renewal, or choose an audience that the configuration does not list.
    @Test func farSideHasNoKnobs() async throws {
        let body: JSONValue = [
            "session": "work/Ada Lovelace", "min_valid": 86_000, "refused": "at-1", "repetition_means_refusal": true,
            "scopes": ["mail", "openid"],
        ]
        #expect(await answer(IssueToken.route, body).status == 200)
        let asked = try #require(await inner.asked.last)
        #expect(asked.minimumValidity == SessionSummary.freshness && asked.refused == nil && !asked.repetitionMeansRefusal)
        #expect(asked.restrictions == .session && asked.isForwarded)

        let narrowed = await answer(IssueToken.route, ["session": "work/Ada Lovelace", "scopes": ["openid"]])
        #expect(narrowed.document["error"]?["code"]?.string == "invalid_scope", "\(narrowed.document)")
        let other: JSONValue = ["session": "work/Ada Lovelace", "audience": "https://api.example.org/"]
        #expect(await answer(IssueToken.route, other).status != 200)
        #expect(await inner.asked.count == 1)
        forwarded.set(forwarded.patterns, audiences: [Sample.name.provider: ["https://api.example.org/"]])
        #expect(await answer(IssueToken.route, other).status == 200)
        #expect(await inner.asked.last?.restrictions == TokenRestrictions(audience: "https://api.example.org/"))
    }

    /// A token that is about to expire is renewed for the far side once a minute, however often it asks.
    @Test func farSideCausesOneRenewalAMinute() async throws {
        let soon = time.now + .seconds(20)
        await inner.change { $0.summary.accessExpiresAt = soon }
        for _ in 0..<40 { #expect(await answer(IssueToken.route, ["session": "work/Ada Lovelace", "min_valid": 3600]).status == 200) }
        #expect(await inner.asked.map(\.mayRenew) == [true] + Array(repeating: false, count: 39))
        #expect(await inner.asked.dropFirst().allSatisfy { $0.minimumValidity == .zero })
        await inner.change { $0.tokenAnswer = .failure(AuthFailure(.signInAgain, "token.not_valid_long_enough")) }
        let late = await answer(IssueToken.route, ["session": "work/Ada Lovelace"]).document["error"]
        #expect(late?["kind"]?.string == "unavailable" && late?["retry_after"] != nil, "\(late ?? .null)")
        time.advance(by: ForwardedLimits.renewalInterval)
        _ = await answer(IssueToken.route, ["session": "work/Ada Lovelace"])
        #expect(await inner.asked.last?.mayRenew == true)
    }

    @Test func requestsOfTheFarSideAreLimited() async throws {
        var statuses: [Int] = []
        for _ in 0..<200 { statuses.append(await answer(ReadSeal.route).status) }
        #expect(statuses.filter { $0 == 200 }.count == Int(ForwardedLimits.burst))
        time.advance(by: .seconds(1))
        #expect(await answer(ReadSeal.route).status == 200)
    }

    /// The list tells the far side what it needs, and nothing about the user's work at home.
    @Test func listIsReduced() async throws {
        let sessions = try #require(await answer(ListSessions.route).document["sessions"]?.array)
        for session in sessions {
            for member in ["subject", "last_used_at", "last_used_by"] { #expect(session[member] == .null, "\(member)") }
            #expect(session["warnings"]?.array?.isEmpty == true && session["last_used_by_message"] == nil)
            // It is still a session as the protocol describes it.
            #expect(try SessionSummary(wire: session).name.provider == Sample.name.provider)
        }
        let text = await answer(ListProviders.route).document.text + answer(ListSessions.route).document.text
        for secret in ["248289761001", "idp/eve", "/usr/bin/git"] { #expect(!text.contains(secret), "\(secret)") }
    }

    /// Only a name that the configuration forwards says whether there is a session.
    @Test func forwardedNameWithoutASessionSaysWhereToSignIn() async {
        forwarded.set([SessionPattern("work/*"), SessionPattern("git/ada")].compactMap(\.self))
        let signedOut = await answer(IssueToken.route, ["session": "git/ada"]).document.text
        #expect(signedOut.contains("ada@laptop is not signed in at git/ada") && signedOut.contains("yett login git/ada"), "\(signedOut)")
        for name in ["git/bob", "other", "work/eve"] {
            let hidden = await answer(IssueToken.route, ["session": .string(name)]).document.text
            #expect(hidden.contains("\(name) is not forwarded to this machine"), "\(hidden)")
        }
        #expect(await inner.asked.isEmpty)
    }

    /// A store that needs no passphrase is not unlocked for the far side either.
    @Test(arguments: [true, false]) func lockedStoreSaysWhereToUnlockIt(takesPassphrase: Bool) async throws {
        await inner.change {
            $0.sealAnswer = .locked(isNew: false)
            $0.takesPassphraseAnswer = takesPassphrase
        }
        let answer = await answer(IssueToken.route, ["session": "work/Ada Lovelace"])
        #expect(answer.status != 200 && answer.document.text.contains("the store of ada@laptop is locked"))
        #expect(await inner.asked.isEmpty)
        #expect(try await inner.storeState() == .locked(isNew: false))
    }

    /// The far side neither delays the lock after an idle time, nor unlocks the store after it.
    @Test(.timeLimit(.minutes(10))) func farSideIsNoUseOfTheKeys() async throws {
        var session = Sample.session
        (session.receivedAt, session.isRenewable, session.accessExpiresAt) = (time.now, false, time.now + .seconds(36_000))
        await inner.change { [session] in
            $0.summary = session
            $0.takesPassphraseAnswer = false
        }
        let inner = inner
        let machine = SleepingMachine()
        let sessions = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: nil), time: time,
            idleLimit: .seconds(600), suspension: SuspensionClock { machine.slept.withLock { $0 } }, seed: 1)
        try await sessions.start()
        let whole = AgentService(
            service: sessions,
            facts: AgentFacts(version: "1.0.0", home: AgentHome(store: "/s", configuration: "/c"), startedAt: time.now, trustedFiles: []),
            log: ActivityLog(folder: nil), time: time, stop: {})
        let far = ForwardedService(service: whole, forwarded: forwarded, owner: { "ada@laptop" })
        func ask(_ route: OperationRoute, _ body: JSONValue) async -> Int {
            let request = AgentRequest(
                method: route.method.rawValue, target: route.path, body: Array(body.text.utf8),
                caller: Caller(process: getpid(), user: geteuid()))
            guard case .document(let status, _) = await far.answer(request) else { return 0 }
            return status
        }
        for _ in 0..<3 {
            #expect(await ask(IssueToken.route, ["session": "work/Ada Lovelace"]) == 200)
            #expect(await ask(CreateProof.route, Sample.proof.wire) == 200)
            await time.until(sleepers: 1)
            time.advance(by: .seconds(200))
        }
        await inner.until { $0.locks == 1 }
        #expect(await ask(IssueToken.route, ["session": "work/Ada Lovelace"]) != 200)
        // Not even after a sleep of the machine, after which a store that was open is opened again.
        machine.slept.withLock { $0 += .seconds(3600) }
        #expect(await ask(ReadSeal.route, .object([])) == 200)
        #expect(await ask(IssueToken.route, ["session": "work/Ada Lovelace"]) != 200)
        #expect(try await inner.storeState() == .locked(isNew: false))
        await sessions.end()
    }
}

/// The total sleep time of a machine.
private final class SleepingMachine: Sendable {
    let slept = Mutex(Duration.zero)
}

/// The patterns of `[agent] forward`.
@Suite(.startsPrograms) struct SessionPatternTests {
    private func sessions(_ pattern: String, _ names: [String], standard: String? = nil) -> [String]? {
        let all = names.map { name in
            var session = Sample.session
            session.name = Sample.named(name)
            return session
        }
        return SessionPattern(pattern)?.sessions(among: all) { _ in standard }.map(\.name.description)
    }

    @Test func patternsMatchTheirSessionsOnly() {
        let all = ["work/ada", "work/bob", "git/ada"]
        #expect(sessions("work/*", all) == ["work/ada", "work/bob"])
        #expect(sessions("work/bob", all) == ["work/bob"])
        #expect(sessions("work", all, standard: "bob") == ["work/bob"])
        #expect(sessions("work", all) == [], "no default account among several")
        #expect(sessions("git", all) == ["git/ada"], "the only account")
        #expect(sessions("wor/*", all) == [])
    }

    @Test(arguments: ["", "*", "/*", "work/", "wo rk", "*/ada"])
    func textThatNamesNoSessionIsRefused(text: String) {
        #expect(SessionPattern(text) == nil)
    }
}
