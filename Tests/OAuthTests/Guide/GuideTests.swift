import AuthModel
import Testing
@testable import OAuth

/// The examples of the guide: they run, and the guide quotes them as they are.
@Suite struct GuideTests {
    /// A provider that knows one person, and answers what the examples ask.
    private actor Provider {
        var asked: [String] = []
        var nonce: String?

        func send(_ request: WebRequest) throws -> WebResponse {
            asked.append("\(request.method.rawValue) \(request.url)")
            switch request.url.path {
            case "/.well-known/openid-configuration": return World.json(World.document.text)
            case "/keys": return World.json(JSONValue.object([.init("keys", .array([try IDTokenBench.ec.jwk()]))]).text)
            case "/device": return World.json(DeviceBench.document.text)
            case "/token": return try token()
            case "/api": return api(request)
            default: return WebResponse(status: 404)
            }
        }

        func expect(nonce: String) { self.nonce = nonce }

        /// The first poll of a device is too early.
        private func token() throws -> WebResponse {
            guard let nonce else {
                self.nonce = ""
                return World.json(#"{"error":"authorization_pending"}"#, status: 400)
            }
            let claims = IDTokenBench.claims.replacing([.init("nonce", .string(nonce))])
            let idToken = try IDTokenBench.ec.token(claims, algorithm: "ES256")
            return World.json(#"{"access_token":"at","token_type":"Bearer","expires_in":60,"id_token":"\#(idToken)"}"#)
        }

        private func api(_ request: WebRequest) -> WebResponse {
            let proof = request.headers.first { $0.name == "DPoP" }.flatMap { try? JSONWebSignature(compact: $0.value) }
            guard proof?.unverifiedClaims["nonce"] == "fresh" else {
                return WebResponse(status: 401, headers: [("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", "fresh")])
            }
            return World.json("{}")
        }
    }

    @Test func browserSignInRuns() async throws {
        let provider = Provider()
        let (pages, open) = AsyncStream.makeStream(of: WebURL.self)
        var visited = pages.makeAsyncIterator()
        var strangers = ["state=guess&code=stolen", "error=access_denied"]
        let example = BrowserSignIn(
            issuer: try World.issuer, client: OAuthClient(id: World.clientID), send: { try await provider.send($0) },
            open: { open.yield($0) },
            nextCallback: {
                if !strangers.isEmpty { return strangers.removeFirst() }
                let page = try World.required(await visited.next())
                let sent = try World.required(FormEncoding.decode(page.query ?? ""))
                func parameter(_ name: String) throws -> String { try World.required(sent.first { $0.name == name }).value }
                await provider.expect(nonce: try parameter("nonce"))
                return FormEncoding.encode([("code", "c"), ("state", try parameter("state")), ("iss", World.issuerText)])
            },
            now: { World.now })
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
        let time = TestTime()
        var codes: [String] = []
        let example = DeviceSignIn(
            metadata: try World.metadata(), client: OAuthClient(id: World.clientID), send: { try await provider.send($0) },
            show: { codes.append($0.userCode) }, time: time)
        #expect(try await example.run().accessToken == Secret("at"))
        #expect(codes == ["WDJB-MJHT"])
        // Two polls, the interval before each.
        #expect(time.bootTime == .seconds(1010))
    }

    @Test func boundCallRuns() async throws {
        let provider = Provider()
        var random = World.Counter(state: 7)
        var example = BoundCall(
            accessToken: Secret("at"), key: ProofKeyPair(using: &random), send: { try await provider.send($0) }, now: { World.now })
        let url = try World.url("https://api.example.org/api")
        #expect(try await example.get(url).status == 200)
        #expect(try await example.get(url).status == 200)
        // The nonce is asked for once, and known the second time.
        #expect(await provider.asked.count == 3)
    }

    @Test(arguments: ["BrowserSignIn", "DeviceSignIn", "BoundCall"]) func theGuideQuotes(_ name: String) throws {
        let guide = try Catalogue.text("SigningIn.md")
        let example = try Catalogue.read("Tests/OAuthTests/Guide/\(name).swift")
        #expect(guide.contains("```swift\n\(example)```"), "SigningIn.md does not quote \(name).swift as it is")
    }
}
