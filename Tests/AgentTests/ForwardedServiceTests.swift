@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import TestConcurrency
import Testing

/// The restricted socket: what a caller on another machine can and cannot do.
@Suite(.startsPrograms) struct ForwardedServiceTests {
    private let inner = ScriptedSessionService()
    private let forwarded: ForwardedSessions
    private let service: ForwardedService

    init() {
        forwarded = ForwardedSessions(["work/*"].compactMap(SessionPattern.init))
        let whole = AgentService(
            service: inner,
            facts: AgentFacts(
                version: "1.0.0", home: AgentHome(store: "/home/ada/store", configuration: "/home/ada/config.toml"),
                startedAt: Timestamp(milliseconds: 1)),
            log: ActivityLog(folder: nil), time: SystemTimeSource(), stop: { Issue.record("the agent was stopped") })
        service = ForwardedService(service: whole, forwarded: forwarded, owner: { "ada@laptop" })
    }

    private func answer(_ route: Route, _ body: JSONValue = .object([]), attempt: String? = nil) async -> (status: Int, document: JSONValue)
    {
        let request = AgentRequest(
            method: route.method, target: route.target(attempt: attempt), store: "/far", configuration: "/far/config.toml",
            body: Array(body.text.utf8), caller: Caller(process: getpid(), user: geteuid()))
        #expect(service.cachedAnswer(request) == nil)
        guard case .document(let status, let bytes) = await service.answer(request) else {
            Issue.record("\(route) was answered with a stream")
            return (0, .null)
        }
        return (status, (try? JSONValue(strict: bytes)) ?? .null)
    }

    @Test func onlyListingAndIssuingAreAnswered() async {
        for route in Route.allCases where !ForwardedService.routes.contains(route) {
            let answer = await answer(route, attempt: "1")
            #expect(answer.status == 403, "\(route)")
            #expect(answer.document["error"]?["kind"]?.string == "denied", "\(route)")
        }
        #expect(ForwardedService.routes == [.agent, .providers, .sessions, .seal, .token, .proof])
        let cancelled = await inner.cancelled, locks = await inner.locks, modes = await inner.modes, unlocks = await inner.unlocks
        #expect(cancelled.isEmpty && locks == 0 && modes.isEmpty && unlocks == 0)
    }

    @Test func statusNamesTheOwnerAndNoPath() async {
        let status = await answer(.agent).document
        #expect(status["forwarded_by"] == "ada@laptop")
        #expect(!status.text.contains("/home/ada"))
    }

    @Test func onlyForwardedSessionsAreListedAndIssued() async throws {
        var other = Sample.session
        other.name = Sample.named("git/bob")
        var second = Sample.session
        second.name = Sample.named("work/bob")
        let (otherSession, secondSession) = (other, second)
        await inner.change { $0.others = [otherSession, secondSession] }
        #expect(await names() == ["work/Ada Lovelace", "work/bob"])
        #expect(await answer(.token, ["session": "git/bob"]).document["error"]?["kind"]?.string == "not_signed_in")
        #expect(await inner.asked.isEmpty)
        // The default account is bob's.
        #expect(await answer(.token, ["session": "work"]).status == 200)
        #expect(await inner.asked.last?.session == second.name)
        forwarded.set([])
        #expect(await names() == [])
        #expect(await answer(.token, ["session": "work/bob"]).status != 200)
        #expect(await inner.asked.count == 1)
    }

    private func names() async -> [String] {
        await (answer(.sessions).document["sessions"]?.array ?? []).compactMap { $0["session"]?.string }
    }

    /// The policy `ask` asks the user at the agent's machine; the far side cannot say that they agreed.
    @Test func callerCannotGiveTheUsersConsent() async throws {
        let body: JSONValue = [
            "session": "work/Ada Lovelace", "consent": "given", "ask": "caller",
            "web_server_login": ["origin": "https://maps.example.org", "scheme": "basic", "username": "eve", "password": "x"],
        ]
        #expect(await answer(.token, body).status == 200)
        let asked = try #require(await inner.asked.last)
        #expect(asked.consent == nil && asked.asking == .service && asked.webServerLogin == nil && asked.consentConfirmation == nil)
    }

    /// Only a name that the configuration forwards says whether there is a session.
    @Test func forwardedNameWithoutASessionSaysWhereToSignIn() async {
        forwarded.set([SessionPattern("work/*"), SessionPattern("git/ada")].compactMap(\.self))
        let signedOut = await answer(.token, ["session": "git/ada"]).document.text
        #expect(signedOut.contains("ada@laptop is not signed in at git/ada") && signedOut.contains("yett login git/ada"), "\(signedOut)")
        for name in ["git/bob", "other", "work/eve"] {
            let hidden = await answer(.token, ["session": .string(name)]).document.text
            #expect(hidden.contains("\(name) is not forwarded to this machine"), "\(hidden)")
        }
        #expect(await inner.asked.isEmpty)
    }

    @Test func lockedStoreSaysWhereToUnlockIt() async {
        await inner.change { $0.sealAnswer = .locked(isNew: false) }
        let answer = await answer(.token, ["session": "work/Ada Lovelace"])
        #expect(answer.status != 200 && answer.document.text.contains("the store of ada@laptop is locked"))
        #expect(await inner.asked.isEmpty)
    }
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
