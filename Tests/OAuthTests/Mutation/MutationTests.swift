import AuthModel
import Localization
import Testing
@testable import OAuth

/// A hundred thousand mutated inputs: no trap, no hang, and every accepted input keeps the rules.
@Suite struct MutationTests {
    @Test func mutatedJSONRoundTrips() throws {
        let document = Fixture.document.text
        let seeds = [
            document, Fixture.document.indentedText, #"{"a":[1,-2.5e3,true,null,"é\u0041😀"],"b":{"c":{}}}"#, #"[[[["\""]]]]"#, "0", "\"\"",
        ].map { Array($0.utf8) }
        let pieces = [
            "{", "}", "[[[[", "]", ",", ":", "\"", "\\u", "\\uD83D\\uDE00", "\\uDC00", "1e400", "-", "null", "\u{FEFF}", "\"a\":1,",
        ]
        var mutator = Mutator(seed: 1, pieces: pieces)
        var acceptedCount = 0
        for _ in 0..<30_000 {
            let bytes = mutator.mutate(seeds)
            guard let value = try? JSONValue(strict: bytes) else { continue }
            acceptedCount += 1
            // An accepted value round-trips.
            if (try? JSONValue(strict: value.text)) != value { Issue.record("\(bytes)") }
        }
        #expect(acceptedCount > 100)
    }

    @Test func mutatedTokensAreRefused() throws {
        let fixture = IDTokenFixture()
        let valid = try IDTokenFixture.ec.token(IDTokenFixture.claims, algorithm: "ES256", header: [.init("typ", "JWT")])
        let keys = try IDTokenFixture.validKeys()
        let validator = try fixture.validator()
        let parts = valid.split(separator: ".").map(String.init)
        let pieces = [".", "=", "e30", "bnVsbA", "eyJhbGciOiJub25lIn0", " ", "\n", "AA", "_-"] + parts
        var mutator = Mutator(seed: 2, pieces: pieces)
        var wellFormed = 0
        for _ in 0..<10_000 {
            let text = String(decoding: mutator.mutate([Array(valid.utf8)]), as: UTF8.self)
            if (try? JSONWebSignature(compact: text)) != nil { wellFormed += 1 }
            let token = try? validator.validate(Secret(text), accessToken: nil, keys: keys, now: Fixture.now)
            // Only the original token is accepted, in no other encoding.
            if token != nil, text != valid { Issue.record("\(text)") }
        }
        #expect(wellFormed > 100)
    }

    @Test func mutatedCallbacksNeedTheRightState() throws {
        let pending = try Fixture.prepared().pending
        let state = pending.state.reveal()
        let valid = FormEncoding.encode([("code", "the-code"), ("state", state), ("iss", Fixture.issuerText)])
        let denied = FormEncoding.encode([
            ("error", "access_denied"), ("error_description", "no"), ("state", state), ("iss", Fixture.issuerText),
        ])
        let pieces = ["&", "=", "%", "%00", "%FF", "+", "&state=", "&code=x", "&iss=", "&response=x", "state=\(state)", "&&", "%26", "#"]
        var mutator = Mutator(seed: 3, pieces: pieces)
        var ended = 0
        for _ in 0..<25_000 {
            let query = String(decoding: mutator.mutate([Array(valid.utf8), Array(denied.utf8)]), as: UTF8.self)
            let pairs = FormEncoding.decode(query) ?? []
            let states = pairs.filter { $0.name == "state" }.map(\.value)
            switch AuthorizationResponse(query: query, for: pending) {
            case .ignored: break
            case .accepted:
                ended += 1
                let issuers = pairs.filter { $0.name == "iss" }.map(\.value)
                if states != [state] || issuers != [Fixture.issuerText] { Issue.record("\(query)") }
            case .denied(let error), .refused(let error):
                ended += 1
                if states != [state] || !Self.isOneLine(error.failure.summary) { Issue.record("\(query)") }
            }
        }
        #expect(ended > 100)
    }

    @Test func mutatedChallengesRoundTrip() throws {
        let seeds = [
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            #"DPoP error="use_dpop_nonce", error_description="nonce", algs="ES256 PS256""#,
            #"Bearer resource_metadata="https://api.example.org/.well-known/oauth-protected-resource", scope="a b", max_age=5"#,
            "Negotiate YIIBhgYGKwYBBQUCoIIBejCCAXagDzANBgsqhkiG9xIBAgICAQ==, Basic",
        ].map { Array($0.utf8) }
        let pieces = ["\"", "\\", ",", "=", " ", "\t", ", ,", "Bearer ", "error=", "\r\n", "\u{0}", "\u{1B}[2J", "é", "==", "DPoP"]
        var mutator = Mutator(seed: 4, pieces: pieces)
        var acceptedCount = 0
        for _ in 0..<35_000 {
            let field = String(decoding: mutator.mutate(seeds), as: UTF8.self)
            let challenges = WebResponse(status: 401, headers: [("WWW-Authenticate", field)]).challenges
            acceptedCount += challenges.count
            // Parsed challenges round-trip, and nothing in them can move a cursor.
            let headerValue = challenges.map(Self.serialized).joined(separator: ", ")
            let again = WebResponse(status: 401, headers: [("WWW-Authenticate", headerValue)]).challenges
            if again != challenges { Issue.record("\(field.debugDescription)") }
            for challenge in challenges {
                if !Self.isOneLine(challenge.error?.line ?? "") || !Self.isOneLine(headerValue) {
                    Issue.record("\(field.debugDescription)")
                }
            }
        }
        #expect(acceptedCount > 100)
    }

    private static func serialized(_ challenge: Challenge) -> String {
        if let token68 = challenge.token68 { return "\(challenge.scheme) \(token68)" }
        let parameters = challenge.parameters.map { parameter in
            let escaped = parameter.value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\(parameter.name)=\"\(String(escaped))\""
        }
        return parameters.isEmpty ? challenge.scheme : "\(challenge.scheme) \(parameters.joined(separator: ", "))"
    }

    private static func isOneLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }
    }
}
