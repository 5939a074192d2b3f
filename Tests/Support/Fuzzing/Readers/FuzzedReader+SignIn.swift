import AuthModel
import OAuth

extension FuzzedReader {
    /// A callback counts only if it has the attempt's state exactly once. A code is accepted only with the right issuer and without an
    /// error.
    static let callback = FuzzedReader(
        "callback",
        words: [
            "&", "=", "code=", "state=", "iss=", "error=access_denied", "error_description=", "id_token=", "access_token=", "response=",
            "code=a&code=b",
            "state=&", "%00", "%0A", "+", "iss=https%3A%2F%2Fid.example.org", "iss=https%3A%2F%2Fevil.example", state, "state=" + state,
        ],
        seeds: [
            "code=abc&state=\(state)&iss=https%3A%2F%2Fid.example.org",
            "state=\(state)&error=access_denied&iss=https%3A%2F%2Fid.example.org",
            "code=abc&state=\(state)", "code=abc&state=\(state)&state=\(state)&iss=https%3A%2F%2Fid.example.org",
            "code=abc&state=\(state)&iss=https%3A%2F%2Fevil.example", "code=abc&error=x&state=\(state)&iss=https%3A%2F%2Fid.example.org",
            "id_token=a.b.c&code=abc&state=\(state)&iss=https%3A%2F%2Fid.example.org",
        ].map { Array($0.utf8) }
    ) { (input) throws(BrokenProperty) in
        guard let pending = FuzzFixture.pending else { throw BrokenProperty("the attempt cannot be made") }
        let query = text(input)
        func values(_ name: String) -> [String] { (FormEncoding.decode(query) ?? []).filter { $0.name == name }.map(\.value) }
        switch AuthorizationResponse(query: query, for: pending) {
        case .ignored: return false
        case .denied(let error), .refused(let error):
            try BrokenProperty.unless(values("state") == [state], "ends the attempt for an answer with another state")
            try FuzzFixture.checkText(of: error.failure)
            return false
        case .accepted(let callback):
            try BrokenProperty.unless(values("state") == [state], "takes a code with another state")
            try BrokenProperty.unless(values("iss") == [FuzzFixture.issuerText], "takes a code of another issuer")
            try BrokenProperty.unless(values("code").count == 1 && values("code") != [""], "takes a code that is none")
            let others = ["error", "access_token", "id_token", "response"].flatMap(values)
            try BrokenProperty.unless(others == [], "takes a code beside what cannot come with it")
            try BrokenProperty.unless(callback.pending == pending, "takes a code for another attempt")
            return true
        }
    }

    private static let state = FuzzFixture.pending?.state.reveal() ?? ""

    /// A token is accepted only exactly as it was signed, byte for byte, and never with another key.
    static let compactToken = FuzzedReader(
        "jwt", words: [".", "..", "=", "-", "_", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "e30", "AA", "A"],
        seeds: rightTokens.map { Array($0.utf8) },
        reshape: { input, mutator, generator in
            // Changes one decoded part and encodes it again, so that the change affects its content.
            var parts = text(input).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let index = generator.below(parts.count)
            guard let part = Base64URL.decode(parts[index]) else { return mutator.changed(input, using: &generator) }
            parts[index] = Base64URL.encode(mutator.changed(part, using: &generator))
            return Array(parts.joined(separator: ".").utf8)
        }
    ) { (input) throws(BrokenProperty) in
        guard let validator = FuzzFixture.validator, let keys = FuzzFixture.keys, let foreign = FuzzFixture.foreignKeys else {
            throw BrokenProperty("the keys cannot be read")
        }
        let given = text(input)
        let token = Secret(given)
        func validated(_ keys: KeySet) throws(BrokenProperty) -> IDToken? {
            do throws(OAuthError) {
                return try validator.validate(token, accessToken: Secret(FuzzFixture.accessToken), keys: keys, now: FuzzFixture.now)
            } catch {
                try FuzzFixture.checkText(of: error.failure)
                return nil
            }
        }
        try BrokenProperty.unless(try validated(foreign) == nil, "validates with another's key")
        let accepted = try validated(keys) != nil
        try BrokenProperty.unless(!accepted || rightTokens.contains { $0.utf8.elementsEqual(given.utf8) }, "validates what nobody signed")
        guard let parsed = try? JSONWebSignature(compact: given) else {
            try BrokenProperty.unless(!accepted, "validates what cannot be read")
            return false
        }
        try BrokenProperty.unless(parsed.header.members != nil && parsed.unverifiedClaims.members != nil, "reads a part that is no object")
        return true
    }

    private static let rightTokens = [
        FuzzFixture.token(Array(FuzzFixture.claims.utf8)), FuzzFixture.token(Array(FuzzFixture.claims.utf8), header: #"{"alg":"EdDSA"}"#),
    ]

    /// Signed claims are accepted only if they are for this client, from the right issuer, of this attempt, and valid now.
    static let claims = FuzzedReader(
        "claims",
        words: [
            "{", "}", "[", "]", ",", ":", "\"", "null", "\"iss\":", "\"aud\":", "\"sub\":", "\"exp\":", "\"iat\":", "\"nbf\":",
            "\"nonce\":", "\"azp\":", "\"acr\":",
            "\"auth_time\":", "\"at_hash\":", "\"events\":{}", "[\"yett\"]", "[\"yett\",\"other\"]", "\"yett\"", "1800000000",
            "1800000000.5", "-1",
            "\"https://id.example.org\"", "\"https://id.example.org/\"", "1e300", "9223372036854775807", "\\u0000", "\\u202e",
        ],
        seeds: [Array(FuzzFixture.claims.utf8)]
    ) { (input) throws(BrokenProperty) in
        guard let validator = FuzzFixture.validator, let keys = FuzzFixture.keys else { throw BrokenProperty("the keys cannot be read") }
        let signed = Secret(FuzzFixture.token(input))
        let token: IDToken
        do throws(OAuthError) {
            token = try validator.validate(signed, accessToken: Secret(FuzzFixture.accessToken), keys: keys, now: FuzzFixture.now)
        } catch {
            try FuzzFixture.checkText(of: error.failure)
            return false
        }
        guard let claims = try? JSONValue(strict: input) else { throw BrokenProperty("takes claims that are no JSON") }
        func isText(_ name: String, _ wanted: String) -> Bool { claims[name]?.string.map { Array($0.utf8) } == Array(wanted.utf8) }
        try BrokenProperty.unless(isText("iss", FuzzFixture.issuerText), "takes another issuer's claims")
        try BrokenProperty.unless(
            isText("aud", FuzzFixture.clientID) || claims["aud"]?.strings.map { Set($0) } == [FuzzFixture.clientID],
            "takes claims for another client")
        try BrokenProperty.unless(isText("nonce", FuzzFixture.nonce), "takes claims of another attempt")
        try BrokenProperty.unless(claims["azp"] == nil || isText("azp", FuzzFixture.clientID), "takes claims for another party")
        try BrokenProperty.unless(!token.subject.isEmpty && isText("sub", token.subject), "takes another subject than was signed")
        let now = Double(FuzzFixture.now.seconds)
        guard let end = claims["exp"]?.double, let start = claims["iat"]?.double, let seen = claims["auth_time"]?.double else {
            throw BrokenProperty("takes claims without their times")
        }
        try BrokenProperty.unless(end > now - 120 && abs(start - now) <= 600 && end > start, "takes claims that are not of now")
        try BrokenProperty.unless(seen >= now - 3600 - 120 && seen <= now + 600, "takes a sign-in of long ago")
        try BrokenProperty.unless((claims["nbf"]?.double ?? 0) <= now + 120, "takes claims before their time")
        return true
    }
}
