import AuthModel
import Localization
import Testing

@testable import OAuth

/// Errors never repeat the secrets that a server quotes back.
struct SecretRedactorTests {
    private static let code = "SplxlOBeZQQYbYS6WxSbIA"
    private static let endpoint = WebURL("https://id.example.org/token")

    private func request(_ fields: [(String, String)], headers: [(name: String, value: String)] = []) throws -> WebRequest {
        .form(try #require(Self.endpoint), fields, headers: headers)
    }

    /// Returns the summary of the error whose description is `text`.
    private func errorSummary(_ text: String, to request: WebRequest, code: String = "invalid_grant", status: Int = 400) throws -> String {
        let body: JSONValue = ["error": .string(code), "error_description": .string(text)]
        let response = WebResponse(status: status, body: Array(body.text.utf8)).keeping(SecretRedactor(of: request))
        let error = try #require(throws: OAuthError.self) {
            try TokenResponse.tokens(response, .codeExchange, host: "id.example.org", requested: [], now: Timestamp(seconds: 0))
        }
        return error.failure.summary
    }

    @Test(arguments: [
        "code", "code_verifier", "refresh_token", "token", "device_code", "client_secret", "client_assertion", "assertion", "subject_token",
        "actor_token", "password",
    ])
    func hidesEverySecretField(name: String) throws {
        for status in [200, 400, 401] {
            let text = try errorSummary("'\(Self.code)' is not known", to: try request([(name, Self.code)]), status: status)
            #expect(text.contains("invalid_grant: '[hidden]' is not known"), "\(text)")
        }
    }

    @Test(arguments: [
        ("code \(code) and again \(code)", "code [hidden] and again [hidden]"),
        ("code \(code.prefix(14))... is old", "code [hidden]... is old"),
        ("code ...\(code.suffix(13)) is old", "code ...[hidden] is old"),
        ("code SplxlOBeZ is old", "code SplxlOBeZ is old"),
        ("the grant is dead", "the grant is dead"),
        // Beyond what is searched of a text, but not beyond what is shown of it.
        (String(repeating: "é", count: 600) + code, "?[hidden]"),
    ])
    func hidesLongPartsOfASecret(text: String, shown: String) throws {
        #expect(try errorSummary(text, to: try request([("code", Self.code)])).hasSuffix("invalid_grant: " + shown))
    }

    /// These characters change when a text is reduced to what is safe to show.
    @Test(arguments: ["pa\"sswörd12", "pass\\word12", "pässwörter"]) func hidesSecretsOfAnyCharacters(secret: String) throws {
        #expect(try errorSummary("wrong: \(secret)", to: try request([("password", secret)])).hasSuffix("invalid_grant: wrong: [hidden]"))
    }

    @Test func hidesSecretsInTheErrorCode() throws {
        #expect(!(try errorSummary("no", to: try request([("code", Self.code)]), code: Self.code).contains(Self.code)))
    }

    @Test func hidesCredentialsOfTheAuthorizationHeader() throws {
        let pair = Base64.encode(Array("yett:s%2Bcret-of-yett".utf8))
        for (field, secret) in [
            ("Bearer \(Self.code)", Self.code), ("Basic \(pair)", "s+cret-of-yett"), ("Basic \(pair)", "s%2Bcret-of-yett"),
            ("Basic \(pair)", pair),
        ] {
            let text = try errorSummary("no \(secret) here", to: try request([], headers: [("Authorization", field)]))
            #expect(text.hasSuffix("no [hidden] here"), "\(text)")
        }
    }

    /// AWS writes the names of OAuth in this form.
    @Test(arguments: ["refreshToken", "clientSecret", "deviceCode", "codeVerifier"])
    func hidesSecretFieldsInCamelCase(name: String) throws {
        let text = try errorSummary("'\(Self.code)' is not known", to: .json(try #require(Self.endpoint), [(name, Self.code)]))
        #expect(text.contains("invalid_grant: '[hidden]' is not known"), "\(text)")
    }

    /// Fields of services that do not read `Authorization`.
    @Test(arguments: ["X-Shopify-Access-Token", "PRIVATE-TOKEN", "token", "X-Api-Key", "access-token-network", "X-Auth"])
    func hidesCredentialsOfAServicesOwnField(_ name: String) throws {
        let text = try errorSummary("no \(Self.code) here", to: try request([], headers: [(name, Self.code)]))
        #expect(text.hasSuffix("no [hidden] here"), "\(text)")
    }

    @Test func keepsTextWithoutSecrets() throws {
        let fields = [("client_id", "yett-client"), ("redirect_uri", "http://127.0.0.1/callback"), ("code", "grant")]
        let text = "yett-client has no http://127.0.0.1/callback for this grant"
        #expect(try errorSummary(text, to: try request(fields)).hasSuffix(text))
    }

    @Test func hidesSecretsOfEarlierExchanges() throws {
        let first = try request([("code", Self.code)])
        var known = SecretRedactor(of: first)
        let given: JSONValue = ["access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "Bearer"]
        known.add(SecretRedactor(of: WebResponse(status: 200, body: Array(given.text.utf8)), to: first))
        #expect(known.hiding(in: "\(Self.code), 2YotnFZFEjr1zCsicMWpAA, Bearer") == "[hidden], [hidden], Bearer")
        // The oldest secrets are dropped.
        for index in 0..<30 { known.add(SecretRedactor(of: try request([("code", "another-code-\(index)")]))) }
        #expect(known.hiding(in: Self.code) == Self.code)
        #expect(known.hiding(in: "another-code-29") == "[hidden]")
    }

    @Test func recognizesBothEndsOfALongToken() throws {
        let token = (0..<400).map { "piece\($0)." }.joined()
        let known = SecretRedactor(of: try request([("client_assertion", token)]))
        #expect(known.hiding(in: "no \(token.prefix(40)) and no \(token.suffix(40))") == "no [hidden] and no [hidden]")
    }

    @Test func hidesSecretsInChallenges() throws {
        let url = try #require(WebURL("https://api.example.org/"))
        let request = WebRequest(method: .get, url: url, headers: [("Authorization", "Bearer \(Self.code)")])
        let challenge = "Bearer error=\"invalid_token\", error_description=\"\(Self.code) has ended\""
        let response = WebResponse(status: 401, headers: [("WWW-Authenticate", challenge)]).keeping(SecretRedactor(of: request))
        #expect(response.tokenChallenges.first?.error?.description == "[hidden] has ended")
    }
}
