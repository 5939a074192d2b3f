import AuthModel
import OAuth

extension FuzzedReader {
    private static let jsonWords = [
        "{", "}", "[", "]", ",", ":", "\"", "null", "true", "false", "\"\"", "{}", "[]", "\\u0000", "\\u202e", "\\n",
    ]

    private static func answer(_ input: [UInt8], status: Int = 200) -> WebResponse {
        WebResponse(status: status, headers: [("Content-Type", "application/json")], body: input)
    }

    /// Returns the value, or `nil` if the response was refused with a printable error.
    private static func read<Value>(_ body: () throws(OAuthError) -> Value) throws(BrokenProperty) -> Value? {
        do throws(OAuthError) {
            return try body()
        } catch {
            try FuzzFixture.checkText(of: error.failure)
            return nil
        }
    }

    /// A provider's metadata is accepted only from the right issuer, and each endpoint in it is protected.
    static let metadata = FuzzedReader(
        "metadata",
        words: jsonWords + [
            "\"issuer\":", "\"https://id.example.org\"", "\"https://id.example.org/\"", "\"authorization_endpoint\":",
            "\"token_endpoint\":", "\"jwks_uri\":",
            "http://", "#", "javascript:", "\"code_challenge_methods_supported\":[\"plain\"]", "\"require_pushed_authorization_requests\":",
        ]
    ) { (input) throws(BrokenProperty) in
        guard let issuer = Issuer(FuzzFixture.issuerText) else { throw BrokenProperty("the issuer cannot be read") }
        let read = try read { () throws(OAuthError) in
            try ProviderMetadata(answer(input), issuer: issuer, requirement: .openID, now: FuzzFixture.now)
        }
        guard let metadata = read else { return false }
        let endpoints = [
            metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.userInfoEndpoint, metadata.keysEndpoint,
            metadata.revocationEndpoint, metadata.introspectionEndpoint, metadata.endSessionEndpoint, metadata.deviceAuthorizationEndpoint,
            metadata.pushedAuthorizationEndpoint, metadata.registrationEndpoint,
        ].compactMap { $0 }
        try BrokenProperty.unless(endpoints.allSatisfy { $0.isProtected && $0.fragment == nil }, "takes an endpoint that is not protected")
        try BrokenProperty.unless(
            metadata.authorizationEndpoint != nil && metadata.tokenEndpoint != nil && metadata.keysEndpoint != nil,
            "takes metadata without what it requires")
        let document = try? JSONValue(strict: input)
        try BrokenProperty.unless(
            document?["issuer"]?.string.map { Array($0.utf8) } == Array(FuzzFixture.issuerText.utf8), "takes another issuer's metadata")
        return true
    }

    /// Tokens are accepted only if they can be sent in a header and have a known type, and never with an expiry before they were issued.
    static let tokenAnswer = FuzzedReader(
        "token",
        words: jsonWords + [
            "\"access_token\":", "\"token_type\":", "\"Bearer\"", "\"DPoP\"", "\"mac\"", "\"expires_in\":", "\"refresh_token\":",
            "\"id_token\":",
            "\"scope\":", "\"error\":", "\"error_description\":", "\"invalid_grant\"", "\"3600\"", "-1", "1e99", "refresh_expires_in",
        ]
    ) { (input) throws(BrokenProperty) in
        // The same body with an error status is always refused, with a printable error.
        for status in [400, 401, 429, 503] {
            let refused = try read { () throws(OAuthError) in
                try TokenResponse.tokens(
                    answer(input, status: status), .codeExchange, host: "id.example.org", requested: ["openid"], now: FuzzFixture.now)
            }
            try BrokenProperty.unless(refused == nil, "takes tokens from an error")
        }
        let taken = try read { () throws(OAuthError) in
            try TokenResponse.tokens(answer(input), .codeExchange, host: "id.example.org", requested: ["openid"], now: FuzzFixture.now)
        }
        guard let tokens = taken else { return false }
        try BrokenProperty.unless(["bearer", "dpop"].contains(tokens.tokenType.lowercased()), "takes a type it does not understand")
        for token in [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap({ $0 }) {
            let isSound = token.withBytes { bytes in !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) } }
            try BrokenProperty.unless(isSound, "takes a token that cannot stand in a header")
        }
        for end in [tokens.accessExpiresAt, tokens.refreshExpiresAt].compactMap({ $0 }) {
            try BrokenProperty.unless(end >= FuzzFixture.now && end <= .distantFuture, "takes a lifetime that is none")
        }
        try BrokenProperty.unless(tokens.scopes.values.allSatisfy(ScopeSet.isScope), "takes a scope that is none")
        let document = try? JSONValue(strict: input)
        try BrokenProperty.unless(document?["error"]?.string?.isEmpty != false, "takes tokens beside an error")
        return true
    }

    /// A key set verifies the provider's token only if it contains the provider's key.
    static let keySet = FuzzedReader(
        "keys",
        words: jsonWords + [
            "\"keys\":", "\"kty\":", "\"OKP\"", "\"EC\"", "\"RSA\"", "\"oct\"", "\"crv\":", "\"Ed25519\"", "\"P-256\"", "\"kid\":",
            "\"k1\"", "\"use\":", "\"enc\"",
            "\"x\":", "\"y\":", "\"n\":", "\"e\":", "\"AQAB\"", "\"AQ\"", "\"k\":", "\"alg\":", "\"key_ops\":",
            "\"" + FuzzFixture.publicKey + "\"",
        ],
        seeds: FuzzFixture.keys.map { [Array($0.document.text.utf8)] } ?? []
    ) { (input) throws(BrokenProperty) in
        guard let validator = FuzzFixture.validator, let location = WebURL(FuzzFixture.issuerText) else { return false }
        let read = try read { () throws(OAuthError) in try KeySet(answer(input), from: location, now: FuzzFixture.now) }
        guard let keys = read else { return false }
        let token = try Self.read { () throws(OAuthError) in
            try validator.validate(rightToken, accessToken: nil, keys: keys, now: FuzzFixture.now)
        }
        if token != nil {
            try BrokenProperty.unless(keys.document.text.contains(FuzzFixture.publicKey), "verifies with a key that is not in the set")
        }
        guard let again = try? KeySet(document: keys.document, host: keys.host, location: keys.location) else {
            throw BrokenProperty("does not take what it kept")
        }
        try BrokenProperty.unless(again == keys, "keeps another set than it read")
        return true
    }

    private static let rightToken = Secret(FuzzFixture.token(Array(FuzzFixture.claims.utf8)))

    /// Challenges are the same after writing and reading them again; no parameter is repeated, and none contains a control character.
    static let challenge = FuzzedReader(
        "challenge",
        words: [
            "Bearer", "DPoP", "Basic", "Negotiate", " ", "  ", "\t", ",", ", ,", "=", "==", "\"", "\\\"", "\\", "realm=",
            "error=\"invalid_token\"",
            "error_description=", "scope=\"openid\"", "resource_metadata=\"https://rs.example.org/.well-known/oauth-protected-resource\"",
            "acr_values=", "max_age=0", "max_age=99999999999999999999", "YWJj==", "nonce=", "algs=\"ES256\"",
        ]
    ) { (input) throws(BrokenProperty) in
        let challenges = WebResponse(status: 401, headers: [("WWW-Authenticate", text(input))]).challenges
        guard !challenges.isEmpty else { return false }
        try BrokenProperty.unless(challenges.count <= 32, "takes more challenges than there can be")
        for challenge in challenges {
            try BrokenProperty.unless(
                isToken(challenge.scheme) && challenge.parameters.allSatisfy { isToken($0.name) }, "takes a name that is none")
            let names = challenge.parameters.map(\.name).filter { $0 != "resource_metadata" }
            try BrokenProperty.unless(Set(names).count == names.count, "takes a parameter twice")
            try BrokenProperty.unless(challenge.token68 == nil || challenge.parameters.isEmpty, "takes both forms at once")
            let hasControl = challenge.parameters.contains { $0.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }
            try BrokenProperty.unless(!hasControl, "takes a control character")
            for url in challenge.resourceMetadata {
                try BrokenProperty.unless(url.isProtected && url.fragment == nil, "takes a metadata address that is not protected")
            }
            try BrokenProperty.unless(
                (challenge.maxAge ?? 0) >= 0 && challenge.scopes.values.allSatisfy(ScopeSet.isScope), "takes a wrong value")
            let shown = [challenge.error?.code, challenge.error?.description].compactMap { $0 }
            try BrokenProperty.unless(shown.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }, "shows more than ASCII")
        }
        let written = challenges.map(written).joined(separator: ", ")
        let again = WebResponse(status: 401, headers: [("WWW-Authenticate", written)]).challenges
        try BrokenProperty.unless(again == challenges, "reads other challenges than were written: \(written.debugDescription)")
        return true
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    private static func written(_ challenge: Challenge) -> String {
        if let token68 = challenge.token68 { return "\(challenge.scheme) \(token68)" }
        let parameters = challenge.parameters.map { parameter in
            let value = parameter.value.unicodeScalars.map { ["\"", "\\"].contains($0) ? "\\\($0)" : "\($0)" }.joined()
            return "\(parameter.name)=\"\(value)\""
        }
        return ([challenge.scheme] + (parameters.isEmpty ? [] : [parameters.joined(separator: ", ")])).joined(separator: " ")
    }
}
