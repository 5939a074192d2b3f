import AuthModel
import Glibc
import Sandbox
import Testing

@Suite(.serialized) struct TransportFaultTests {
    private static let configuration = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)

    /// Sends an endpoint a valid request; nil if the connection was closed.
    private func ask(_ endpoint: Fault.Endpoint, _ party: RelyingParty, _ tokens: JSONValue, code: String) async throws -> Reply? {
        let issuer = party.server.issuer
        let bearer = [("Authorization", "Bearer \(try tokens.text("access_token"))")]
        func post(_ path: String, _ fields: [(String, String)]) async throws -> Reply? {
            try await Wire.ask(
                .post, issuer + path, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: FormEncoding.encode(fields + [("client_id", "yett")]))
        }
        switch endpoint {
        case .discovery: return try await Wire.ask(.get, issuer + "/.well-known/openid-configuration")
        case .keys: return try await Wire.ask(.get, issuer + "/jwks")
        case .token:
            return try await post(
                "/token",
                [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", party.redirect), ("code_verifier", party.verifier)])
        case .refresh:
            return try await post("/token", [("grant_type", "refresh_token"), ("refresh_token", try tokens.text("refresh_token"))])
        case .userInfo: return try await Wire.ask(.get, issuer + "/userinfo", headers: bearer)
        case .revocation: return try await post("/revoke", [("token", "unknown")])
        case .device: return try await post("/device_authorization", [("scope", "openid")])
        case .resourceMetadata: return try await Wire.ask(.get, issuer + "/.well-known/oauth-protected-resource")
        case .registration:
            return try await Wire.ask(.post, issuer + "/register", body: #"{"redirect_uris":["http://127.0.0.1/callback"]}"#)
        case .pushed: return try await post("/par", party.authorizationFields.filter { $0.0 != "client_id" })
        case .resource: return try await Wire.ask(.get, issuer + "/api/hello", headers: bearer)
        }
    }

    private static let answered = TransportFault.allCases.filter { $0 != .hanging && $0 != .closed && $0 != .oversize && $0 != .gzipBomb }

    @Test(arguments: Fault.Endpoint.allCases, answered)
    func responseHasTheFault(endpoint: Fault.Endpoint, fault: TransportFault) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            let code = try await party.code()
            await server.set([.transport(endpoint, fault)])
            let reply = try #require(try await ask(endpoint, party, tokens, code: code))
            let isObject = (try? reply.json())?.members != nil
            switch fault {
            case .notFound: #expect(reply.status == 404)
            case .serverError: #expect(reply.status == 500 && reply.text.hasPrefix("<!doctype html>"))
            case .unavailable: #expect(reply.status == 503 && reply.header("retry-after") == "7")
            case .html: #expect(reply.status == 200 && reply.header("content-type") == "text/html" && !isObject)
            case .notJSON: #expect(reply.status < 300 && !isObject)
            case .array: #expect(reply.status < 300 && reply.text.hasPrefix("[") && !isObject)
            case .plainText: #expect(reply.status < 300 && reply.header("content-type") == "text/plain; charset=utf-8")
            case .empty400: #expect(reply.status == 400 && reply.body.isEmpty)
            case .duplicateMember:
                #expect(reply.status == ([.pushed, .registration].contains(endpoint) ? 201 : 200))
                // A revocation response has no document.
                #expect(endpoint == .revocation || isDuplicate(reply.text))
            case .redirect302, .redirect307:
                #expect(reply.status == (fault == .redirect302 ? 302 : 307))
                #expect(reply.location == "http://localhost:\(server.port)/elsewhere")
            case .closed, .hanging, .oversize, .gzipBomb: Issue.record("these have tests of their own")
            }
        }
    }

    private func isDuplicate(_ text: String) -> Bool {
        do {
            _ = try JSONValue(strict: text)
            return false
        } catch {
            if case .duplicateMember = error.kind { return true } else { return false }
        }
    }

    @Test(arguments: Fault.Endpoint.allCases)
    func connectionIsClosedWithoutAResponse(endpoint: Fault.Endpoint) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            let code = try await party.code()
            await server.set([.transport(endpoint, .closed)])
            #expect(try await ask(endpoint, party, tokens, code: code) == nil)
        }
    }

    @Test(arguments: Fault.Endpoint.allCases)
    func hangingResponseNeverComes(endpoint: Fault.Endpoint) async throws {
        let server = try await SandboxServer.start(Self.configuration)
        let party = RelyingParty(server: server)
        let tokens = try await party.tokens()
        let code = try await party.code()
        await server.set([.transport(endpoint, .hanging)])
        server.clearRequests()
        let asking = Task { try await ask(endpoint, party, tokens, code: code) }
        for await _ in server.followRequests() { break }
        // Other endpoints still answer.
        #expect(try await Wire.get(server.issuer + "/").status == 200)
        await server.stop()
        #expect(try await asking.value == nil)
    }

    @Test(arguments: [Fault.Endpoint.discovery, .token])
    func oversizeResponseIsStreamed(endpoint: Fault.Endpoint) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            let code = try await party.code()
            await server.set([.transport(endpoint, .oversize)])
            let reply = try #require(try await ask(endpoint, party, tokens, code: code))
            #expect(reply.header("content-length") == nil)
            #expect(reply.body.count == 155_000 * 258 + #"{"padding":""}"#.utf8.count)
            #expect(reply.body.starts(with: #"{"padding":"xx"#.utf8))
        }
    }

    @Test func gzipBombInflatesToFortyMegabytes() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            await server.set([.transport(.discovery, .gzipBomb)])
            let reply = try await Wire.get(server.issuer + "/.well-known/openid-configuration")
            #expect(reply.header("content-encoding") == "gzip")
            #expect(reply.body.count < 300_000)
            #expect(try inflatedSize(reply.body) == 155_000 * 258 + 1 + #"{"padding":""}"#.utf8.count)
        }
    }

    /// The inflated size according to the system's gzip, an independent implementation that also verifies the checksum.
    private func inflatedSize(_ bytes: [UInt8]) throws -> Int {
        let path = "/tmp/sandbox-tests-\(getpid()).gz"
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        defer { unlink(path) }
        let pipe = try #require(popen("gzip -dc < \(path) | wc -c", "r"))
        var line = [CChar](repeating: 0, count: 64)
        fgets(&line, 64, pipe)
        #expect(pclose(pipe) == 0)
        return try #require(Int(String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)))
    }

    @Test(arguments: [TransportFault.closed, .unavailable, .serverError, .empty400, .redirect307])
    func unansweredRefreshUsesNothingUp(fault: TransportFault) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            await server.set(FaultSet(.transport(.refresh, fault), times: 1))
            _ = try await ask(.refresh, party, tokens, code: "")
            #expect(try await party.refresh(tokens.text("refresh_token")).status == 200)
        }
    }

    @Test func requestToTheRedirectTargetIsLogged() async throws {
        try await SandboxServer.running { server in
            await server.set([.transport(.discovery, .redirect302)])
            let reply = try await Wire.get(server.issuer + "/.well-known/openid-configuration")
            _ = try await Wire.get(#require(reply.location))
            #expect(server.requests.last?.path == "/elsewhere")
        }
    }
}
