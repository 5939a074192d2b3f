import AuthModel
import Testing
@testable import OAuth

/// `WWW-Authenticate` (RFC 9110 section 11.6.1).
@Suite struct ChallengeTests {
    private func read(_ fields: String...) -> [String] {
        WebResponse(status: 401, headers: fields.map { ("WWW-Authenticate", $0) }).challenges.map(Self.text)
    }

    private static func text(_ challenge: Challenge) -> String {
        ([challenge.scheme] + [challenge.token68].compactMap(\.self) + challenge.parameters.map { "\($0.name)=[\($0.value)]" })
            .joined(separator: " ")
    }

    @Test func readsTheExamplesOfTheRFCs() {
        // RFC 9110 section 11.6.1.
        #expect(
            read(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
                == ["Basic realm=[simple]", #"Newauth realm=[apps] type=[1] title=[Login to "apps"]"#])
        // RFC 6750 section 3.
        #expect(
            read(#"Bearer realm="example", error="invalid_token", error_description="The access token expired""#)
                == ["Bearer realm=[example] error=[invalid_token] error_description=[The access token expired]"])
        // RFC 9449 section 7.1.
        #expect(
            read(#"DPoP error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#)
                == ["DPoP error=[invalid_token] error_description=[Invalid DPoP key binding] algs=[ES256]"])
    }

    @Test(
        arguments: [
            ("Bearer", ["Bearer"]), ("  Bearer  ", ["Bearer"]), ("", []), (",,, ,", []), ("Negotiate, Basic", ["Negotiate", "Basic"]),
            ("Negotiate YII=", ["Negotiate YII="]), ("Negotiate a+b/c==, Bearer", ["Negotiate a+b/c==", "Bearer"]),
            ("Bearer a=b", ["Bearer a=[b]"]), ("Bearer a = b", ["Bearer a=[b]"]), ("Bearer a=\"\"", ["Bearer a=[]"]),
            ("Bearer a=b,c=d", ["Bearer a=[b] c=[d]"]), ("Bearer a=b, , c=d,", ["Bearer a=[b] c=[d]"]),
            ("Bearer a=b\t,\tBasic", ["Bearer a=[b]", "Basic"]), ("Bearer a=b, Basic, DPoP c=d", ["Bearer a=[b]", "Basic", "DPoP c=[d]"]),
            ("Bearer a=\"b, Basic c=d\"", ["Bearer a=[b, Basic c=d]"]), ("BEARER ERROR=x", ["BEARER error=[x]"]),
            ("Bearer a=\"\\\\\\\"\"", ["Bearer a=[\\\"]"]), ("Bearer a=\"é\"", ["Bearer a=[é]"]), ("a=b", []), ("Bearer a=", ["Bearer a="]),
            ("Basic x=y, Bearer = z", ["Basic x=[y] bearer=[z]"]), ("Bearer =b", []),
            // Empty list elements are ignored, also at the beginning (RFC 9110 section 5.6.1.2).
            ("Basic , realm=\"x\"", ["Basic realm=[x]"]), ("Basic ,, ,realm=x, a=b", ["Basic realm=[x] a=[b]"]),
            ("Basic,realm=x", ["Basic realm=[x]"]),
            ("Basic , realm=x, , Bearer , , a=b", ["Basic realm=[x]", "Bearer a=[b]"]), ("Basic , Bearer a=b", ["Basic", "Bearer a=[b]"]),
            (", Basic , realm = \"x\" ,", ["Basic realm=[x]"]), ("Negotiate YII= , realm=x", ["Negotiate YII="]),
        ])
    func readsLists(_ field: String, _ challenges: [String]) {
        #expect(read(field) == challenges)
    }

    @Test func joinsHeaderFields() {
        #expect(read("Bearer a=b", "Basic realm=x, DPoP c=d") == ["Bearer a=[b]", "Basic realm=[x]", "DPoP c=[d]"])
        let mixed = WebResponse(status: 401, headers: [("www-AUTHENTICATE", "Bearer"), ("Proxy-Authenticate", "Basic")])
        #expect(mixed.challenges.map(\.scheme) == ["Bearer"])
    }

    @Test(
        "challenges before a syntax error count; the broken one and later ones do not",
        arguments: [
            "Bearer a=\"open", "Bearer a=\"b\\", "Bearer a=b c=d", "Bearer a=b; c=d", "Bearer a=\"b\"c",
            "Bearer a=\"line\nbreak\"", "Bearer a=\"nul\u{0}\"", "Bearer a=\"esc\u{1B}[2J\"", "Bearer a=\"x\\\u{7}\"", "Bearer \"a\"=b",
            "Bearer\ta=b",
            "Bearer a=https://x.example/", "Bearer a=é", "é a=b", "Bearer a b",
        ])
    func stopsAtASyntaxError(_ field: String) {
        #expect(read("Basic realm=\"x\", \(field), DPoP error=use_dpop_nonce") == ["Basic realm=[x]"])
        #expect(read(field, "DPoP") == ["DPoP"])
    }

    @Test func dropsChallengesWithDuplicateParameters() {
        #expect(read("Bearer error=a, ERROR=b, Basic realm=x") == ["Basic realm=[x]"])
    }

    @Test func limitsLengthAndCount() {
        #expect(read("Bearer a=\"\(String(repeating: "x", count: ChallengeReader.maximumLength))\"").isEmpty)
        #expect(read(String(repeating: "A, ", count: 1000)).count == ChallengeReader.maximumCount)
        #expect(read(String(repeating: "A, ", count: 20), String(repeating: "B, ", count: 20)).count == ChallengeReader.maximumCount)
    }

    private func challenge(_ text: String) throws -> Challenge {
        try Fixture.required(WebResponse(status: 401, headers: [("WWW-Authenticate", text)]).tokenChallenges.first)
    }

    @Test func tokenSchemesAreCaseInsensitive() {
        let answer = WebResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=x, bEARER a=b, dpop c=d, Bearerx")])
        #expect(answer.tokenChallenges.map(\.scheme) == ["bEARER", "dpop"])
    }

    @Test func errorHasNoControlCharacters() throws {
        let error = try challenge("Bearer error=\"invalid_token\", error_description=\"no\u{202E} \u{9B}2J\"").error
        #expect(error == ServerError(code: "invalid_token", description: "no? ?2J"))
        #expect(try challenge("Bearer realm=x").error == nil)
        #expect(try challenge("Bearer error=\"\"").error == nil)
    }

    @Test func scopesDropInvalidValues() throws {
        #expect(try challenge("Bearer scope=\"a b  a c\\\\d é\"").scopes == ["a", "b"])
        #expect(try challenge("Bearer").scopes.isEmpty)
    }

    @Test(arguments: [
        ("https://api.example.org/.well-known/oauth-protected-resource", true), ("http://127.0.0.1:9/m", true),
        ("http://api.example.org/m", false),
        ("javascript:alert(1)", false), ("https://user@api.example.org/m", false), ("https://api.example.org/m#x", false), ("/m", false),
        ("", false),
    ])
    func resourceMetadataMustBeASafeURL(_ url: String, _ isAccepted: Bool) throws {
        #expect(try challenge("Bearer resource_metadata=\"\(url)\"").resourceMetadata.map(\.text) == (isAccepted ? [url] : []))
    }

    /// Some MCP servers leave the quotes away, or write others.
    @Test(arguments: [
        "Bearer resource_metadata=https://api.example.org/m, scope=read",
        "Bearer resource_metadata='https://api.example.org/m', scope='read'",
        "Bearer error=\"invalid_token\", resource_metadata=https://api.example.org/m, scope=\"read\"",
    ])
    func quotesMayBeMissing(_ text: String) throws {
        let challenge = try challenge(text)
        #expect(challenge.resourceMetadata.map(\.text) == ["https://api.example.org/m"])
        #expect(challenge.scopes == ["read"])
    }

    /// As a server behind a gateway that adds its own. No other parameter may be there twice.
    @Test func placesOfMetadataMayBeSeveral() throws {
        let places = ["https://api.example.org/a", "https://api.example.org/b"]
        let text = places.map { "resource_metadata=\"\($0)\"" }.joined(separator: ", ")
        let challenge = try challenge("Bearer \(text), scope=\"read\"")
        #expect(challenge.resourceMetadata.map(\.text) == places)
        #expect(challenge.scopes == ["read"])
        let answer = WebResponse(status: 401, headers: [("WWW-Authenticate", "Bearer \(text), scope=\"read\", scope=\"write\"")])
        #expect(answer.challenges == [])
    }

    @Test(
        arguments: [
            ("5", 5), ("0", 0), ("\"3600\"", 3600), ("-1", nil), ("1.5", nil), ("\"\"", nil), ("99999999999999999999", 3_155_760_000),
            ("9223372036854775807", 3_155_760_000),
        ]
            as [(String, Int?)])
    func readsMaxAge(_ text: String, _ age: Int?) throws {
        #expect(try challenge("Bearer max_age=\(text)").maxAge == age)
    }

    @Test func contextClassesKeepTheirOrder() throws {
        #expect(try challenge("Bearer acr_values=\"gold  silver é\"").contextClasses == ["gold", "silver"])
        #expect(try challenge("Bearer acr_values=myACR").contextClasses == ["myACR"])
    }

    /// A server that also takes Bearer tokens does not need bound ones.
    @Test(arguments: [
        ([#"DPoP resource_metadata="https://a.example/m""#], true), (["DPoP algs=ES256", "DPoP"], true), (["Bearer"], false),
        ([#"DPoP resource_metadata="https://a.example/m""#, "Bearer"], false), (["Basic realm=x", "DPoP algs=ES256"], true),
    ])
    func challengeForBoundTokensAlone(fields: [String], excludesBearer: Bool) throws {
        let answer = WebResponse(status: 401, headers: fields.map { ("WWW-Authenticate", $0) })
        #expect(try Fixture.required(answer.unauthorizedChallenge).excludesBearer == excludesBearer)
    }
}
