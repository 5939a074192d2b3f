import AuthModel
import Testing
@testable import OAuth

/// The examples of the guide run, and the guide quotes them unchanged.
@Suite struct GuideTests {
    /// A provider with one user that answers the requests of the examples.
    private actor Provider {
        var asked: [String] = []
        var nonce: String?

        func send(_ request: WebRequest) throws -> WebResponse {
            asked.append("\(request.method.rawValue) \(request.url)")
            switch request.url.path {
            case "/.well-known/openid-configuration": return Fixture.json(Fixture.document.text)
            case "/keys": return Fixture.json(JSONValue.object([.init("keys", .array([try IDTokenFixture.ec.jwk()]))]).text)
            case "/device": return Fixture.json(DeviceFixture.document.text)
            case "/token": return try token()
            case "/api": return api(request)
            default: return WebResponse(status: 404)
            }
        }

        func expect(nonce: String) { self.nonce = nonce }

        /// Answers the first device poll with `authorization_pending`.
        private func token() throws -> WebResponse {
            guard let nonce else {
                self.nonce = ""
                return Fixture.json(#"{"error":"authorization_pending"}"#, status: 400)
            }
            let claims = IDTokenFixture.claims.replacing([.init("nonce", .string(nonce))])
            let idToken = try IDTokenFixture.ec.token(claims, algorithm: "ES256")
            return Fixture.json(#"{"access_token":"at","token_type":"Bearer","expires_in":60,"id_token":"\#(idToken)"}"#)
        }

        private func api(_ request: WebRequest) -> WebResponse {
            let proof = request.headers.first { $0.name == "DPoP" }.flatMap { try? JSONWebSignature(compact: $0.value) }
            guard proof?.unverifiedClaims["nonce"] == "fresh" else {
                return WebResponse(status: 401, headers: [("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", "fresh")])
            }
            return Fixture.json("{}")
        }
    }

    @Test func browserSignInRuns() async throws {
        let provider = Provider()
        let (pages, open) = AsyncStream.makeStream(of: WebURL.self)
        var visited = pages.makeAsyncIterator()
        var foreignCallbacks = ["state=guess&code=stolen", "error=access_denied"]
        let example = BrowserSignIn(
            issuer: try Fixture.issuer, client: OAuthClient(id: Fixture.clientID), send: { try await provider.send($0) },
            open: { open.yield($0) },
            nextCallback: {
                if !foreignCallbacks.isEmpty { return foreignCallbacks.removeFirst() }
                let page = try Fixture.required(await visited.next())
                let sent = try Fixture.required(FormEncoding.decode(page.query ?? ""))
                func parameter(_ name: String) throws -> String { try Fixture.required(sent.first { $0.name == name }).value }
                await provider.expect(nonce: try parameter("nonce"))
                return FormEncoding.encode([("code", "c"), ("state", try parameter("state")), ("iss", Fixture.issuerText)])
            },
            now: { Fixture.now })
        let (tokens, identity) = try await example.run()
        #expect(tokens.accessToken == Secret("at"))
        #expect(identity.subject == "ada")
        #expect(
            await provider.asked == [
                "GET https://id.example.org/.well-known/openid-configuration", "GET https://id.example.org/keys",
                "POST https://tokens.example.org/token",
            ])
    }

    @Test func deviceSignInRuns() async throws {
        let provider = Provider()
        let time = JumpingTime()
        var codes: [String] = []
        let example = DeviceSignIn(
            metadata: try Fixture.metadata(), client: OAuthClient(id: Fixture.clientID), send: { try await provider.send($0) },
            show: { codes.append($0.userCode) }, time: time)
        #expect(try await example.run().accessToken == Secret("at"))
        #expect(codes == ["WDJB-MJHT"])
        // Two polls, each after one interval.
        #expect(time.bootTime == .seconds(1010))
    }

    @Test func boundCallRuns() async throws {
        let provider = Provider()
        var random = Fixture.Counter(state: 7)
        var example = BoundCall(
            accessToken: Secret("at"), key: ProofKeyPair(using: &random), send: { try await provider.send($0) }, now: { Fixture.now })
        let url = try Fixture.url("https://api.example.org/api")
        #expect(try await example.get(url).status == 200)
        #expect(try await example.get(url).status == 200)
        // The server requests the nonce once; the second call already has it.
        #expect(await provider.asked.count == 3)
    }

    @Test(arguments: ["BrowserSignIn", "DeviceSignIn", "BoundCall"]) func guideQuotesTheExample(_ name: String) throws {
        let guide = try Catalogue.text("SigningIn.md")
        let example = try Catalogue.read("Tests/OAuthTests/Guide/\(name).swift")
        #expect(guide.contains("```swift\n\(example)```"), "SigningIn.md does not quote \(name).swift as it is")
    }
}
