import AuthModel
import Testing
@testable import OAuth

/// A hundred thousand spoilt inputs: nothing traps, nothing hangs, and what is taken keeps its rule.
@Suite struct MutationTests {
    @Test func json() throws {
        let document = World.document.text
        let seeds = [
            document, World.document.indentedText, #"{"a":[1,-2.5e3,true,null,"é\u0041😀"],"b":{"c":{}}}"#, #"[[[["\""]]]]"#, "0", "\"\"",
        ].map { Array($0.utf8) }
        let pieces = [
            "{", "}", "[[[[", "]", ",", ":", "\"", "\\u", "\\uD83D\\uDE00", "\\uDC00", "1e400", "-", "null", "\u{FEFF}", "\"a\":1,",
        ]
        var mutator = Mutator(seed: 1, pieces: pieces)
        var taken = 0
        for _ in 0..<30_000 {
            let bytes = mutator.mutate(seeds)
            guard let value = try? JSONValue(strict: bytes) else { continue }
            taken += 1
            // What is read and written again is the same.
            if (try? JSONValue(strict: value.text)) != value { Issue.record("\(bytes)") }
        }
        #expect(taken > 100)
    }

    @Test func signedTokens() throws {
        let bench = IDTokenBench()
        let honest = try IDTokenBench.ec.token(IDTokenBench.claims, algorithm: "ES256", header: [.init("typ", "JWT")])
        let keys = try IDTokenBench.honestKeys()
        let validator = try bench.validator()
        let parts = honest.split(separator: ".").map(String.init)
        let pieces = [".", "=", "e30", "bnVsbA", "eyJhbGciOiJub25lIn0", " ", "\n", "AA", "_-"] + parts
        var mutator = Mutator(seed: 2, pieces: pieces)
        var wellFormed = 0
        for _ in 0..<10_000 {
            let text = String(decoding: mutator.mutate([Array(honest.utf8)]), as: UTF8.self)
            if (try? JSONWebSignature(compact: text)) != nil { wellFormed += 1 }
            let token = try? validator.validate(Secret(text), accessToken: nil, keys: keys, now: World.now)
            // Only the honest token is one: no other spelling of it, either.
            if token != nil, text != honest { Issue.record("\(text)") }
        }
        #expect(wellFormed > 100)
    }

    @Test func callbackQueries() throws {
        let pending = try World.prepared().pending
        let state = pending.state.reveal()
        let honest = FormEncoding.encode([("code", "the-code"), ("state", state), ("iss", World.issuerText)])
        let denied = FormEncoding.encode([
            ("error", "access_denied"), ("error_description", "no"), ("state", state), ("iss", World.issuerText),
        ])
        let pieces = ["&", "=", "%", "%00", "%FF", "+", "&state=", "&code=x", "&iss=", "&response=x", "state=\(state)", "&&", "%26", "#"]
        var mutator = Mutator(seed: 3, pieces: pieces)
        var ended = 0
        for _ in 0..<25_000 {
            let query = String(decoding: mutator.mutate([Array(honest.utf8), Array(denied.utf8)]), as: UTF8.self)
            let pairs = FormEncoding.decode(query) ?? []
            let states = pairs.filter { $0.name == "state" }.map(\.value)
            switch AuthorizationResponse(query: query, for: pending) {
            case .ignored: break
            case .accepted:
                ended += 1
                let issuers = pairs.filter { $0.name == "iss" }.map(\.value)
                if states != [state] || issuers != [World.issuerText] { Issue.record("\(query)") }
            case .denied(let error), .refused(let error):
                ended += 1
                if states != [state] || !Self.isOneLine(error.failure.summary) { Issue.record("\(query)") }
            }
        }
        #expect(ended > 100)
    }

    @Test func challengeFields() throws {
        let seeds = [
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            #"DPoP error="use_dpop_nonce", error_description="nonce", algs="ES256 PS256""#,
            #"Bearer resource_metadata="https://api.example.org/.well-known/oauth-protected-resource", scope="a b", max_age=5"#,
            "Negotiate YIIBhgYGKwYBBQUCoIIBejCCAXagDzANBgsqhkiG9xIBAgICAQ==, Basic",
        ].map { Array($0.utf8) }
        let pieces = ["\"", "\\", ",", "=", " ", "\t", ", ,", "Bearer ", "error=", "\r\n", "\u{0}", "\u{1B}[2J", "é", "==", "DPoP"]
        var mutator = Mutator(seed: 4, pieces: pieces)
        var taken = 0
        for _ in 0..<35_000 {
            let field = String(decoding: mutator.mutate(seeds), as: UTF8.self)
            let challenges = WebResponse(status: 401, headers: [("WWW-Authenticate", field)]).challenges
            taken += challenges.count
            // What was read is read again from its plain spelling, and nothing in it can move a cursor.
            let spelled = challenges.map(Self.spelling).joined(separator: ", ")
            let again = WebResponse(status: 401, headers: [("WWW-Authenticate", spelled)]).challenges
            if again != challenges { Issue.record("\(field.debugDescription)") }
            for challenge in challenges {
                if !Self.isOneLine(challenge.error?.line ?? "") || !Self.isOneLine(spelled) { Issue.record("\(field.debugDescription)") }
            }
        }
        #expect(taken > 100)
    }

    private static func spelling(_ challenge: Challenge) -> String {
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
