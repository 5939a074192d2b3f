@testable import Agent
import AuthModel
import TestSupport
import Testing

/// Values are unchanged after encoding to text and decoding.
@Suite(.startsPrograms) struct WireTests {
    private func roundTrip<Value: WireValue & Equatable>(_ value: Value) throws -> Value {
        try Value(wire: JSONValue(strict: value.wire.text))
    }

    @Test(arguments: Sample.failures)
    func failureRoundTrips(failure: AuthFailure) throws {
        #expect(try roundTrip(failure) == failure)
    }

    @Test(arguments: Sample.failures)
    func failureHasAnErrorStatus(failure: AuthFailure) {
        #expect(failure.httpStatus >= 400)
    }

    /// What a caller may choose freely is bounded in bytes before it is kept in memory, in the log, or shown in a question.
    @Test func requestTextsAreBoundedInBytes() throws {
        let giant = "e" + String(repeating: "\u{301}", count: 50_000)
        let request = try TokenRequest(wire: ["session": "work", "destination": .string(giant)])
        #expect(try #require(request.destination).utf8.count <= TokenRequest.destinationLimit)
        let long = String(repeating: "x", count: 10_000)
        for member in [
            JSONValue.Member("audience", .string("https://api.example.org/" + long)), .init("scopes", [.string(long)]),
            .init("resource", .string("https://api.example.org/" + long)),
        ] {
            #expect(throws: WireError.self, "\(member.name)") { try TokenRequest(wire: .object([.init("session", "work"), member])) }
        }
    }

    @Test func sessionsRoundTrip() throws {
        #expect(try roundTrip(Sample.session) == Sample.session)
        #expect(try roundTrip(Sample.bare) == Sample.bare)
        #expect(try roundTrip(Sample.detail) == Sample.detail)
        #expect(try roundTrip(Sample.provider) == Sample.provider)
        #expect(try roundTrip(Sample.receipt) == Sample.receipt)
        #expect(try roundTrip(Sample.grant) == Sample.grant)
    }

    /// An unreadable session, provider or log record does not hide the others.
    @Test func skipsAndNamesUnreadableElements() throws {
        let late = Sample.session.wire.text.replacing("\"access_expires_at\":\"2027", with: "\"access_expires_at\":\"292278994")
        try #require(late != Sample.session.wire.text)
        let document = try JSONValue(strict: "{\"sessions\":[\(late),\(Sample.bare.wire.text),7,{}]}")
        var skipped: [SkippedElement] = []
        #expect(try WireReader(document).readable("sessions", of: SessionSummary.self) { skipped.append($0) } == [Sample.bare])
        #expect(
            skipped == [
                .init(list: "sessions", name: Sample.session.name.description, place: "access_expires_at"),
                .init(list: "sessions", name: nil, place: "session"), .init(list: "sessions", name: nil, place: "session"),
            ])
        let event = try JSONValue(strict: "{\"type\":\"sessions_changed\",\"sessions\":[\(late),\(Sample.bare.wire.text)]}")
        #expect(try SessionServiceEvent(wire: event) == .sessionsChanged([Sample.bare]))
        #expect(throws: WireError(place: "sessions")) { try WireReader(.object([])).readable("sessions", of: SessionSummary.self) }
    }

    @Test(arguments: Sample.signInEvents)
    func signInEventRoundTrips(event: SignInEvent) throws {
        #expect(try roundTrip(event) == event)
    }

    @Test(arguments: Sample.serviceEvents)
    func serviceEventRoundTrips(event: SessionServiceEvent) throws {
        #expect(try roundTrip(event) == event)
    }

    @Test func signInRequestRoundTrips() throws {
        var request = SignInRequest(provider: Sample.name.provider)
        #expect(try roundTrip(request) == request)
        request = SignInRequest(
            provider: Sample.name.provider, purpose: .signUp, account: "Ada", flow: .manual, resources: ["https://api.example.org"])
        request.scopes = ["a", "b"]
        request.loginHint = "h"
        request.prompt = "p"
        request.maxAge = 0
        request.acrValues = "x y"
        request.uiLocales = "de"
        request.port = 8080
        request.timeout = .milliseconds(1500)
        #expect(try roundTrip(request) == request)
    }

    @Test(arguments: [
        [:], ["DISPLAY": ":0"], ["SSH_TTY": "/dev/pts/1"], ["WSL_INTEROP": "1"], ["SSH_CONNECTION": "198.51.100.2 50122 2001:db8::7 2222"],
    ])
    func surroundingsRoundTrip(environment: [String: String]) throws {
        var request = SignInRequest(provider: Sample.name.provider)
        request.surroundings = Surroundings(environment: environment)
        #expect(try roundTrip(request) == request)
    }

    @Test(arguments: [
        #"{"address":"-oProxyCommand=x","port":22}"#, #"{"address":"1.2.3.4; id","port":22}"#, #"{"address":"","port":22}"#,
        #"{"address":"1.2.3.4","port":0}"#, #"{"address":"1.2.3.4","port":"22"}"#, #"{"port":22}"#,
    ])
    func refusesInvalidSSHServers(text: String) throws {
        let text = #"{"remote":true,"display":false,"wsl":false,"ssh_server":\#(text)}"#
        let document = try JSONValue(strict: text)
        #expect(throws: WireError.self) { try Surroundings(wire: document) }
    }

    @Test(arguments: [SignOutMode.revoke, .localOnly, .endBrowserSession, .withBase])
    func signOutModeRoundTrips(mode: SignOutMode) throws {
        #expect(try roundTrip(mode) == mode)
    }

    @Test func tokenRequestRoundTrips() throws {
        var request = TokenRequest(
            session: Sample.name, wanted: .id, minimumValidity: .milliseconds(90_500), mayRenew: false,
            restrictions: TokenRestrictions(scopes: ["read", "mail"], audience: "https://api.example.org/"))
        request.webServerLogin = WebServerLogin(
            origin: Sample.registration.origin, scheme: .digest, username: "ada", password: Secret("horse"))
        #expect(try roundTrip(request) == request)
        let short = try TokenRequest(wire: ["session": "work"])
        #expect(short == TokenRequest(session: Sample.named("work")))
    }

    @Test func clientManagementRoundTrips() throws {
        #expect(try roundTrip(Sample.management) == Sample.management)
    }

    @Test func proofRequestRoundTrips() throws {
        #expect(try roundTrip(Sample.proof) == Sample.proof)
        var request = Sample.proof
        request.nonce = nil
        #expect(try roundTrip(request) == request)
    }

    @Test func ignoresUnknownMembers() throws {
        #expect(try TokenRequest(wire: ["later": ["x": 1], "session": "work"]).session.description == "work")
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"{"session":7}"#, #"{"session":"a\nb"}"#, #"{"session":"work/a\u0000b"}"#, #"{"session":"work/a\rb"}"#,
        #"{"session":"wo=rk"}"#, #"{"session":"work","kind":"refresh"}"#, #"{"session":"work","min_valid":-1}"#,
        #"{"session":"work","min_valid":1e300}"#, #"{"session":"work","renew":"no"}"#,
        #"{"session":"work","scopes":"read"}"#, #"{"session":"work","scopes":["a b"]}"#, #"{"session":"work","audience":7}"#,
    ])
    func refusesInvalidTokenRequests(text: String) throws {
        let document = try JSONValue(strict: text)
        #expect(throws: WireError.self) { try TokenRequest(wire: document) }
    }
}
