@testable import Agent
import AuthModel
import TestSupport
import Testing

/// Checks the OpenAPI document against the server's behaviour.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct OpenAPITests {
    private let check: SchemaCheck

    init() throws {
        check = SchemaCheck(document: try JSONValue(strict: AgentDescription.bytes))
    }

    private static let routes = AgentRouter.shared.entries.map(\.route)

    private func operation(_ route: OperationRoute) throws -> JSONValue {
        try #require(check.document["paths"]?[route.path]?[route.method.rawValue.lowercased()])
    }

    private func answerSchema(_ route: OperationRoute, type: String = "application/json") throws -> JSONValue {
        try #require(operation(route)["responses"]?["200"]?["content"]?[type]?["schema"])
    }

    @Test func listsExactlyTheRoutesOfTheServer() throws {
        let paths = try #require(check.document["paths"]?.members)
        let listed = paths.flatMap { path in (path.value.members ?? []).map { "\($0.name.uppercased()) \(path.name)" } }
        #expect(Set(listed) == Set(Self.routes.map { "\($0.method.rawValue) \($0.path)" }))
        #expect(listed.count == Self.routes.count)
    }

    @Test(arguments: routes)
    func namesTheOperation(route: OperationRoute) throws {
        #expect(try operation(route)["operationId"]?.string == route.name)
    }

    /// The document says what the restricted socket answers.
    @Test(arguments: routes)
    func namesWhatIsForwarded(route: OperationRoute) throws {
        #expect((try operation(route)["x-yett-forwarded"] != nil) == route.rules.contains(.isForwarded))
    }

    /// What each operation may do: a rule that is lost is not noticed otherwise.
    @Test func rulesOfOperationsAreAsDecided() {
        func names(_ rule: OperationRoute.Rules) -> Set<String> { Set(Self.routes.filter { $0.rules.contains(rule) }.map(\.name)) }
        #expect(
            names(.countsAsUse) == [
                "session", "tokens", "remoteTokens", "remoteRevocation", "activation", "adoption", "derivedCredential",
                "derivedCredentialKeeping", "roles", "roleCredentials", "renew", "signOut", "sealChange",
            ], "issuing a token and a proof count as use unless they are forwarded")
        #expect(names(.changesTokens) == ["activation", "adoption", "remoteRevocation", "renew", "signOut"])
        #expect(
            names(.worksWhileLocked) == [
                "agent", "description", "providers", "sessions", "seal", "unlock", "lock", "events", "cancel", "browserReturn",
                "stopWaiting", "details", "answerQuestion", "stop",
            ])
        #expect(
            Set(Self.routes.map(\.name)).subtracting(names(.isRepeatable)) == [
                "remoteRevocation", "events", "command", "answerQuestion", "signIn", "paste", "answer", "deviceCode", "cancel",
                "browserReturn", "stopWaiting", "unregistration", "stop", "sealChange",
            ])
        #expect(
            names(.isQuick) == [
                "agent", "description", "providers", "sessions", "seal", "events", "activity", "cancel", "stopWaiting", "answerQuestion",
                "stop",
            ])
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

    private static let roleRequest = JSONValue.members(
        ("role", AccountRole(account: "000000000001", role: "ReadOnly").wire), ("request", TokenRequest(session: Sample.name).wire))

    @Test func responsesMatchTheDescription() async throws {
        let service = ScriptedSessionService()
        try await AgentFixture.run(service) { world in
            let connection = world.client.connection
            let name = JSONValue.members(("session", .string(Sample.name.description)))
            let asked: [(OperationRoute, String?, JSONValue?)] = [
                (.agent, nil, nil), (.description, nil, nil), (ListProviders.route, nil, nil), (ListSessions.route, nil, nil),
                (ShowSession.route, "/v1/session?" + FormEncoding.encode([("name", Sample.name.description)]), nil),
                (IssueToken.route, nil, name),
                (AdoptToken.route, nil, Self.adoption), (ChooseDefaultAccount.route, nil, ["provider": "work", "account": "ada"]),
                (ListTokens.route, "/v1/session/tokens?" + FormEncoding.encode([("name", Sample.name.description)]), nil),
                (ListRemoteTokens.route, "/v1/session/remote-tokens?" + FormEncoding.encode([("name", Sample.name.description)]), nil),
                (RevokeRemoteToken.route, nil, ["session": .string(Sample.name.description), "id": "t-1"]),
                (KeepDerivedCredential.route, nil, Self.keeping),
                (ReadDerivedCredential.route, nil, .members(("purpose", "aws"), ("request", TokenRequest(session: Sample.name).wire))),
                (ListRoles.route, nil, ListRoles(TokenRequest(session: Sample.name), isFresh: true).wire),
                (IssueRoleCredentials.route, nil, Self.roleRequest), (CreateProof.route, nil, Sample.proof.wire),
                (KeepRegistration.route, nil, Sample.management.wire),
                (RemoveRegistration.route, nil, ["client_id": "client-1", "issuer": "https://id.example.org"]),
                (RenewSession.route, nil, name), (SignOutSession.route, nil, name),
                (InspectToken.route, nil, ["token": "a.b.c", "provider": "work"]), (ReadSeal.route, nil, nil),
                (UnlockStore.route, nil, ["passphrase": "open sesame"]), (ListActivity.route, "/v1/activity?limit=3", nil),
                (PasteText.route, PasteText.route.request(["id": .string("attempt-1")]).target, ["text": "x"]),
                (
                    SubmitAnswers.route, SubmitAnswers.route.request(["id": .string("attempt-1")]).target,
                    ["answers": ["idp": "google"]]
                ),
                (ReadProviderDetails.route, "/v1/details?provider=\(Sample.name.provider)", nil),
                (RequestDeviceCode.route, RequestDeviceCode.route.request(["id": .string("attempt-1")]).target, nil),
                (CancelSignIn.route, CancelSignIn.route.request(["id": .string("attempt-1")]).target, nil),
                (AwaitBrowserReturn.route, AwaitBrowserReturn.route.request(["id": .string("return-1")]).target, nil),
                (StopWaitingForBrowser.route, StopWaitingForBrowser.route.request(["id": .string("return-1")]).target, nil),
                (AnswerQuestion.route, AnswerQuestion.route.request(["id": .string(Sample.question.id.text)]).target, ["allow": true]),
                (ChangeSeal.route, nil, ["seal": "system", "passphrase": "open sesame"]), (LockStore.route, nil, nil), (.stop, nil, nil),
            ]
            for (route, target, body) in asked {
                let answer = try await connection.ask(route, target: target, body: body)
                #expect(check.faults(answer, against: try answerSchema(route)) == [], "\(route.name)")
            }
            // The remaining routes answer with streams, or with a command's output.
            #expect(Set(asked.map(\.0)).union([.events, .signIn, .command]) == Set(Self.routes))
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
        func schema(_ route: OperationRoute) throws -> JSONValue {
            try #require(operation(route)["requestBody"]?["content"]?["application/json"]?["schema"])
        }
        var request = TokenRequest(session: Sample.name)
        request.repetitionMeansRefusal = true
        request.client = 7
        #expect(check.faults(request.wire, against: try schema(IssueToken.route)) == [])
        let asked = JSONValue.members(("purpose", "aws"), ("request", request.wire))
        #expect(check.faults(asked, against: try schema(ReadDerivedCredential.route)) == [])
        #expect(check.faults(Self.roleRequest, against: try schema(IssueRoleCredentials.route)) == [])
        #expect(check.faults(ListRoles(request).wire, against: try schema(ListRoles.route)) == [])
        #expect(check.faults(Self.keeping, against: try schema(KeepDerivedCredential.route)) == [])
        for surroundings in [nil, .desktop, Surroundings(environment: ["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"])] {
            var request = SignInRequest(provider: Sample.name.provider)
            request.surroundings = surroundings
            #expect(check.faults(request.wire, against: try schema(.signIn)) == [])
        }
        #expect(check.faults(Self.adoption, against: try schema(AdoptToken.route)) == [])
        for account in [JSONValue.null, "ada"] {
            #expect(check.faults(["provider": "work", "account": account], against: try schema(ChooseDefaultAccount.route)) == [])
        }
        #expect(check.faults(Sample.proof.wire, against: try schema(CreateProof.route)) == [])
        for seal in Seal.allCases where seal != .memory {
            let change = ChangeSeal(seal, passphrase: nil, newPassphrase: Secret("open sesame"))
            #expect(check.faults(change.wire, against: try schema(ChangeSeal.route)) == [])
        }
        let unlock = UnlockStore(Secret("1234"), isPIN: true).wire
        #expect(check.faults(unlock, against: try schema(UnlockStore.route)) == [])
        #expect(try UnlockStore(wire: unlock).isPIN)
        #expect(try UnlockStore(wire: ["passphrase": "1234"]).isPIN == false)
        #expect(check.faults(Sample.management.wire, against: try schema(KeepRegistration.route)) == [])
        for mode in [SignOutMode.revoke, .localOnly, .endBrowserSession, .withBase] {
            #expect(check.faults(["session": "work", "mode": mode.wire], against: try schema(SignOutSession.route)) == [])
        }
    }

    @Test(arguments: Sample.failures)
    func failuresMatchTheDescription(failure: AuthFailure) throws {
        let schema = try #require(operation(IssueToken.route)["responses"]?["default"]?["content"]?["application/json"]?["schema"])
        #expect(check.faults(.members(("error", failure.wire)), against: schema) == [])
    }

    @Test func undescribedMemberIsReported() throws {
        let schema = try answerSchema(ReadSeal.route)
        #expect(
            check.faults(["locked": "no", "extra": 1], against: schema) == ["$.locked: is not [\"boolean\"]", "$.extra: is not described"])
        #expect(check.faults(.object([]), against: schema) == ["$.locked: is missing"])
    }
}
