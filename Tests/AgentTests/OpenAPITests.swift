@testable import Agent
import AuthModel
import TestConcurrency
import Testing

/// Checks the OpenAPI document against the server's behaviour.
@Suite(.startsPrograms, .timeLimit(.minutes(3)))
struct OpenAPITests {
    private let check: SchemaCheck

    init() throws {
        check = SchemaCheck(document: try JSONValue(strict: AgentDescription.bytes))
    }

    private func operation(_ route: Route) throws -> JSONValue {
        try #require(check.document["paths"]?[route.path]?[route.method.lowercased()])
    }

    private func answerSchema(_ route: Route, type: String = "application/json") throws -> JSONValue {
        try #require(operation(route)["responses"]?["200"]?["content"]?[type]?["schema"])
    }

    @Test func listsExactlyTheRoutesOfTheServer() throws {
        let paths = try #require(check.document["paths"]?.members)
        let listed = paths.flatMap { path in (path.value.members ?? []).map { "\($0.name.uppercased()) \(path.name)" } }
        #expect(Set(listed) == Set(Route.allCases.map { "\($0.method) \($0.path)" }))
        #expect(listed.count == Route.allCases.count)
    }

    @Test(arguments: Route.allCases)
    func namesTheOperation(route: Route) throws {
        #expect(try operation(route)["operationId"]?.string == route.rawValue)
    }

    /// The document says what the restricted socket answers.
    @Test(arguments: Route.allCases)
    func namesWhatIsForwarded(route: Route) throws {
        #expect((try operation(route)["x-yett-forwarded"] != nil) == ForwardedService.routes.contains(route))
    }

    private static let adoption: JSONValue = .members(
        ("session", .string(Sample.name.description)), ("token", "new"), ("in_place_of", "old"),
        ("resource", "https://gateway.example.org/comment"))

    private static let keeping: JSONValue = .members(
        ("session", .string(Sample.name.description)),
        (
            "credential",
            DerivedCredential(purpose: "aws", secret: Secret("keys"), usableUntil: Timestamp(milliseconds: 1_900_000_000_000)).wire
        ))

    @Test func responsesMatchTheDescription() async throws {
        let service = ScriptedSessionService()
        try await AgentFixture.run(service) { world in
            let connection = world.client.connection
            let name = JSONValue.members(("session", .string(Sample.name.description)))
            let asked: [(Route, String?, JSONValue?)] = [
                (.agent, nil, nil), (.description, nil, nil), (.providers, nil, nil), (.sessions, nil, nil),
                (.session, "/v1/session?" + FormEncoding.encode([("name", Sample.name.description)]), nil), (.token, nil, name),
                (.adoption, nil, Self.adoption), (.activation, nil, ["provider": "work", "account": "ada"]),
                (.tokens, "/v1/session/tokens?" + FormEncoding.encode([("name", Sample.name.description)]), nil),
                (.remoteTokens, "/v1/session/remote-tokens?" + FormEncoding.encode([("name", Sample.name.description)]), nil),
                (.remoteRevocation, nil, ["session": .string(Sample.name.description), "id": "t-1"]),
                (.derivedCredentialKeeping, nil, Self.keeping),
                (.derivedCredential, nil, .members(("purpose", "aws"), ("request", TokenRequest(session: Sample.name).wire))),
                (.proof, nil, Sample.proof.wire), (.registration, nil, Sample.management.wire),
                (.unregistration, nil, ["client_id": "client-1", "issuer": "https://id.example.org"]),
                (.renew, nil, name), (.signOut, nil, name), (.inspect, nil, ["token": "a.b.c", "provider": "work"]), (.seal, nil, nil),
                (.unlock, nil, ["passphrase": "open sesame"]), (.activity, "/v1/activity?limit=3", nil),
                (.paste, Route.paste.target(attempt: "attempt-1"), ["text": "x"]),
                (.answer, Route.answer.target(attempt: "attempt-1"), ["answers": ["idp": "google"]]),
                (.details, "/v1/details?provider=\(Sample.name.provider)", nil),
                (.deviceCode, Route.deviceCode.target(attempt: "attempt-1"), nil),
                (.cancel, Route.cancel.target(attempt: "attempt-1"), nil),
                (.browserReturn, Route.browserReturn.target(attempt: "return-1"), nil),
                (.stopWaiting, Route.stopWaiting.target(attempt: "return-1"), nil),
                (.answerQuestion, Route.answerQuestion.target(attempt: Sample.question.id.text), ["allow": true]),
                (.lock, nil, nil), (.stop, nil, nil),
            ]
            for (route, target, body) in asked {
                let answer = try await connection.ask(route, target: target, body: body)
                #expect(check.faults(answer, against: try answerSchema(route)) == [], "\(route)")
            }
            // The remaining routes answer with streams, or with a command's output.
            #expect(Set(asked.map(\.0)).union([.events, .signIn, .command]) == Set(Route.allCases))
        }
    }

    @Test func eventsMatchTheDescription() throws {
        let schema = try answerSchema(.events, type: "text/event-stream")
        for event in Sample.serviceEvents { #expect(check.faults(event.wire, against: schema) == []) }
        let steps = try answerSchema(.signIn, type: "text/event-stream")
        for event in Sample.signInEvents { #expect(check.faults(event.wire, against: steps) == []) }
        #expect(check.faults(["type": "begun", "attempt": "attempt-1"], against: steps) == [])
    }

    @Test func requestsMatchTheDescription() throws {
        func schema(_ route: Route) throws -> JSONValue {
            try #require(operation(route)["requestBody"]?["content"]?["application/json"]?["schema"])
        }
        var request = TokenRequest(session: Sample.name)
        request.repetitionMeansRefusal = true
        #expect(check.faults(request.wire, against: try schema(.token)) == [])
        let asked = JSONValue.members(("purpose", "aws"), ("request", request.wire))
        #expect(check.faults(asked, against: try schema(.derivedCredential)) == [])
        #expect(check.faults(Self.keeping, against: try schema(.derivedCredentialKeeping)) == [])
        for userEnvironment in [nil, .desktop, SignInEnvironment(environment: ["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"])] {
            let request = SignInRequest(provider: Sample.name.provider, userEnvironment: userEnvironment)
            #expect(check.faults(request.wire, against: try schema(.signIn)) == [])
        }
        #expect(check.faults(Self.adoption, against: try schema(.adoption)) == [])
        for account in [JSONValue.null, "ada"] {
            #expect(check.faults(["provider": "work", "account": account], against: try schema(.activation)) == [])
        }
        #expect(check.faults(Sample.proof.wire, against: try schema(.proof)) == [])
        #expect(check.faults(Sample.management.wire, against: try schema(.registration)) == [])
        for mode in [SignOutMode.revoke, .localOnly, .endBrowserSession, .withBase] {
            #expect(check.faults(["session": "work", "mode": mode.wire], against: try schema(.signOut)) == [])
        }
    }

    @Test(arguments: Sample.failures)
    func failuresMatchTheDescription(failure: AuthFailure) throws {
        let schema = try #require(operation(.token)["responses"]?["default"]?["content"]?["application/json"]?["schema"])
        #expect(check.faults(.members(("error", failure.wire)), against: schema) == [])
    }

    @Test func undescribedMemberIsReported() throws {
        let schema = try answerSchema(.seal)
        #expect(
            check.faults(["locked": "no", "extra": 1], against: schema) == ["$.locked: is not [\"boolean\"]", "$.extra: is not described"])
        #expect(check.faults(.object([]), against: schema) == ["$.locked: is missing"])
    }
}
