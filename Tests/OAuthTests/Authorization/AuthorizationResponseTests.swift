import AuthModel
import Localization
import Testing
@testable import OAuth

/// Authorization responses at the redirect URI.
@Suite struct AuthorizationResponseTests {
    private let pending: PendingAuthorization
    private let pendingWithoutIssuerParameter: PendingAuthorization

    init() throws {
        pending = try Fixture.prepared().pending
        pendingWithoutIssuerParameter = try Fixture.prepared(
            metadata: Fixture.metadata([.init("authorization_response_iss_parameter_supported", .null)])
        ).pending
    }

    /// Validates a query in which STATE stands for the right state and ISS for the right issuer.
    private func validate(_ query: String, announced: Bool = true) -> AuthorizationResponse {
        let pending = announced ? pending : pendingWithoutIssuerParameter
        let text = query.replacing("STATE", with: pending.state.reveal()).replacing("ISS", with: FormEncoding.escape(Fixture.issuerText))
        return AuthorizationResponse(query: text, for: pending)
    }

    private func refusal(_ answer: AuthorizationResponse) -> OAuthError? {
        if case .refused(let error) = answer { error } else { nil }
    }

    /// Facebook's names for an error, which a code rules out.
    @Test func refusalMayHaveOtherNames() throws {
        let answer = validate("error_code=1349168&error_message=App+not+active&state=STATE&iss=ISS")
        guard case .denied(let error) = answer else { throw Fixture.Missing() }
        #expect(error.failure.message.english.hasSuffix("1349168: App not active"))
        #expect(validate("error_code=1&state=guess&iss=ISS") == .ignored(.wrongState))
        #expect(validate("error_message=x&state=STATE&iss=ISS") == .ignored(.missingCode))
        #expect(validate("code=&error_code=1&state=STATE&iss=ISS") == .ignored(.missingCode))
    }

    /// Some servers send all parameters, and some describe an error in Latin-1.
    @Test func emptyAndUnreadableTextsCountAsAbsent() throws {
        guard case .accepted = validate("code=c&error=&error_description=&state=STATE&iss=ISS") else { throw Fixture.Missing() }
        for query in [
            "error=access_denied&code=&state=STATE&iss=ISS", "error=access_denied&error_description=refus%E9&state=STATE&iss=ISS",
        ] {
            guard case .denied(let error) = validate(query) else { throw Fixture.Missing() }
            #expect(error.failure.kind == .denied(code: "access_denied"))
        }
        #expect(validate("code=&error=&state=STATE&iss=ISS") == .ignored(.missingCode))
        #expect(validate("code=%E9&state=STATE&iss=ISS") == .ignored(.malformedQuery))
        #expect(validate("error=access_denied&error_description=%E9&state=guess&iss=ISS") == .ignored(.wrongState))
    }

    /// A client that Yett gave the redirect address of all clients, because the provider announced `iss`.
    @Test func issuerMayBeRequiredWithoutAnAnnouncement() throws {
        var request = Fixture.request()
        request.requiresIssuer = true
        let metadata = try Fixture.metadata([.init("authorization_response_iss_parameter_supported", .null)])
        let pending = try Fixture.prepared(request, metadata: metadata).pending
        let answer = AuthorizationResponse(query: "code=c&state=\(pending.state.reveal())", for: pending)
        #expect(refusal(answer)?.kind == .unnamedIssuer)
        #expect(refusal(answer)?.failure.message.code == "authorization.issuer_missing")
    }

    /// QuickBooks names the company there.
    @Test func parametersOfTheServiceAreKept() throws {
        var request = AuthorizationRequest(clientID: "yett", redirectURI: "http://127.0.0.1:8400/callback", scopes: [])
        request.dialect.callbackMembers = ["realmId", "location"]
        let pending = try Fixture.prepared(request).pending
        let own = "state=\(pending.state.reveal())&iss=\(FormEncoding.escape(Fixture.issuerText))"
        guard case .accepted(let callback) = AuthorizationResponse(query: "code=c&realmId=4620&other=x&" + own, for: pending) else {
            throw Fixture.Missing()
        }
        #expect(callback.members == [.init("realmId", "4620")])
        // A second value could be the one of another program.
        #expect(AuthorizationResponse(query: "code=c&realmId=1&realmId=2&" + own, for: pending) == .ignored(.duplicateParameter))
    }

    /// Amazon's sellers bring the code under another name.
    @Test func codeMayHaveAnotherName() throws {
        var request = AuthorizationRequest(clientID: "yett", redirectURI: "http://127.0.0.1:8400/callback", scopes: [])
        request.dialect.codeParameter = "spapi_oauth_code"
        let pending = try Fixture.prepared(request).pending
        let own = "&state=\(pending.state.reveal())&iss=\(FormEncoding.escape(Fixture.issuerText))"
        guard case .accepted(let callback) = AuthorizationResponse(query: "spapi_oauth_code=abc&code=x" + own, for: pending) else {
            throw Fixture.Missing()
        }
        #expect(callback.code == Secret("abc"))
        #expect(AuthorizationResponse(query: "code=abc" + own, for: pending) == .ignored(.missingCode))
        #expect(
            AuthorizationResponse(query: "spapi_oauth_code=abc&error=access_denied" + own, for: pending) == .ignored(.codeAndError))
    }

    @Test func acceptsAValidResponse() throws {
        let answer = validate("code=abc&state=STATE&iss=ISS&session_state=x&scope=openid")
        guard case .accepted(let callback) = answer else {
            Issue.record("not accepted: \(answer)")
            return
        }
        #expect(callback.code == Secret("abc"))
        #expect(callback.pending == pending)
    }

    @Test(arguments: [
        ("LB-03 FAPI-21", "code=abc&state=STATE1&iss=ISS", AuthorizationResponse.Reason.wrongState),
        ("LB-03 prefix", "code=abc&state=&iss=ISS", .wrongState),
        ("LB-04 FAPI-22", "code=abc&iss=ISS", .missingState),
        ("LB-06", "error=access_denied", .errorWithoutState),
        ("LB-07", "error=access_denied&state=guess", .wrongState),
        ("LB-07", "", .missingState),
        ("doubled state", "code=abc&state=STATE&state=STATE&iss=ISS", .duplicateParameter),
        ("doubled state", "code=abc&state=guess&state=STATE&iss=ISS", .duplicateParameter),
        ("doubled code", "code=abc&code=abd&state=STATE&iss=ISS", .duplicateParameter),
        ("doubled iss", "code=abc&state=STATE&iss=ISS&iss=ISS", .duplicateParameter),
        ("N-70 doubled unknown", "code=abc&state=STATE&iss=ISS&x=1&x=2", .duplicateParameter),
        ("doubled by escapes", "code=abc&c%6Fde=abd&state=STATE&iss=ISS", .duplicateParameter),
        ("no code", "state=STATE&iss=ISS", .missingCode),
        ("empty code", "code=&state=STATE&iss=ISS", .missingCode),
        ("both", "code=abc&error=access_denied&state=STATE&iss=ISS", .codeAndError),
        ("broken escape", "code=abc&state=STATE&iss=%ZZ", .malformedQuery),
        ("not UTF-8", "code=%FF&state=STATE&iss=ISS", .malformedQuery),
        ("wrong state before a wrong issuer", "code=abc&state=guess&iss=https%3A%2F%2Fevil.example", .wrongState),
        ("wrong state before JARM", "response=jwt&state=guess", .wrongState),
    ])
    func ignoresResponsesToOtherRequests(_ rule: String, _ query: String, _ reason: AuthorizationResponse.Reason) {
        #expect(validate(query) == .ignored(reason), "\(rule)")
    }

    @Test(arguments: ["https://id.example.org1", "https://id.example.org/", "https://ID.example.org", "", "https://evil.example"])
    func refusesAnotherIssuer(_ iss: String) throws {
        // LB-20, FAPI-05, LB-22, LB-28: announced or not, with a code or an error.
        for announced in [true, false] {
            for head in ["code=abc", "error=access_denied"] {
                let error = try Fixture.required(
                    refusal(validate("\(head)&state=STATE&iss=\(FormEncoding.escape(iss))", announced: announced)))
                #expect(error.kind == .mismatch(what: "phrase.issuer_parameter"))
                #expect(error.failure.exitCode == 8)
            }
        }
    }

    @Test func requiresTheIssuerIfAnnounced() throws {
        // LB-21, FAPI-06; errors too.
        for head in ["code=abc", "error=access_denied"] {
            let error = try Fixture.required(refusal(validate("\(head)&state=STATE")))
            #expect(error.kind == .missingMember("iss"))
            #expect(error.failure.exitCode == 8)
        }
    }

    @Test func issuerIsOptionalUnlessAnnounced() {
        // LB-22; a correct issuer is accepted even if it is not announced.
        for query in ["code=abc&state=STATE", "code=abc&state=STATE&iss=ISS"] {
            guard case .accepted = validate(query, announced: false) else {
                Issue.record("not accepted: \(query)")
                continue
            }
        }
    }

    @Test(arguments: ["response", "id_token", "access_token"])
    func refusesTokensAndJARMInTheRedirect(_ name: String) {
        // RP-19, FAPI-20.
        #expect(refusal(validate("code=abc&state=STATE&iss=ISS&\(name)=x")) != nil)
        #expect(refusal(validate("state=STATE&iss=ISS&\(name)=x")) != nil)
    }

    @Test func denialIsReportedWithoutControlCharacters() throws {
        let text = FormEncoding.escape("no\u{1B}[31m\u{9B}2J\u{202E}\n\"you\"")
        guard case .denied(let error) = validate("error=access_denied&error_description=\(text)&state=STATE&iss=ISS") else {
            Issue.record("not denied")
            return
        }
        #expect(error.kind == .refused(ServerError(code: "access_denied", description: "no?[31m?2J?'you'"), status: 302))
        #expect(error.failure.kind == .denied(code: "access_denied"))
        #expect(error.failure.exitCode == 5)
        #expect(error.failure.summary == "id.example.org refused the sign-in: access_denied: no?[31m?2J?'you'")
        #expect(error.failure.hintText == "sign in again, and allow it")
    }

    @Test func comparesOriginsForAProviderWithoutIssuer() throws {
        let metadata = ProviderMetadata(
            .init(authorization: try Fixture.url("https://id.example.org/a"), token: try Fixture.url("https://id.example.org/t")))
        let pending = try Fixture.prepared(metadata: metadata).pending
        func validate(_ iss: String) -> AuthorizationResponse {
            AuthorizationResponse(query: "code=a&state=\(pending.state.reveal())&iss=\(FormEncoding.escape(iss))", for: pending)
        }
        #expect(refusal(validate("https://evil.example")) != nil)
        #expect(refusal(validate("https://id.example.org/tenant")) == nil)
    }
}
