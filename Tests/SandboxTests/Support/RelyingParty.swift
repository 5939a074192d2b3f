import AuthModel
import Crypto
@testable import Sandbox

/// A small independent client, so that a mistake of the real client is not repeated here.
struct RelyingParty {
    let server: SandboxServer
    var clientID = "yett"
    var redirect = "http://127.0.0.1:9999/callback"
    var scope = "openid profile email offline_access"
    let verifier = String(repeating: "v", count: 64)
    let state = "state-1"
    let nonce = "nonce-1"

    /// Starts a provider, passes it and a client to `body`, and stops it in every case.
    static func running(
        _ configuration: SandboxConfiguration = SandboxConfiguration(), _ body: (SandboxServer, RelyingParty) async throws -> Void
    ) async throws {
        try await SandboxServer.running(configuration) { try await body($0, RelyingParty(server: $0)) }
    }

    var origin: String { "http://127.0.0.1:\(server.port)" }

    var challenge: String { SandboxBase64.url(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    /// The parameters of an authorization request.
    var authorizationFields: [(String, String)] {
        [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope), ("state", state),
            ("nonce", nonce), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
    }

    /// Returns the URL of the authorization request; `changes` replace parameters, or remove them with nil.
    func authorizationURL(_ changes: [(String, String?)] = []) -> String {
        server.issuer + "/authorize?" + FormEncoding.encode(authorizationFields.changed(changes))
    }

    func exchange(code: String, _ changes: [(String, String?)] = [], headers: [(String, String)] = []) async throws -> Reply {
        let fields: [(String, String)] = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("client_id", clientID),
            ("code_verifier", verifier),
        ]
        return try await Wire.post(server.issuer + "/token", fields.changed(changes), headers: headers)
    }

    func refresh(_ token: String, headers: [(String, String)] = []) async throws -> Reply {
        try await Wire.post(
            server.issuer + "/token", [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", clientID)],
            headers: headers)
    }

    /// Pushes the authorization request (RFC 9126).
    func push(_ changes: [(String, String?)] = [], headers: [(String, String)] = []) async throws -> Reply {
        try await Wire.post(server.issuer + "/par", authorizationFields.changed(changes), headers: headers)
    }

    /// Returns the URL of the authorization request that refers to a pushed one.
    func authorizationURL(pushed uri: String, clientID: String? = nil) -> String {
        server.issuer + "/authorize?" + FormEncoding.encode([("client_id", clientID ?? self.clientID), ("request_uri", uri)])
    }

    func userInfo(_ token: String) async throws -> Reply {
        try await Wire.get(server.issuer + "/userinfo", headers: [("Authorization", "Bearer \(token)")])
    }

    /// Returns a code without any page, from a server that approves automatically.
    func code(_ changes: [(String, String?)] = []) async throws -> String {
        let reply = try await Wire.get(authorizationURL(changes))
        guard let code = reply.locationParameter("code") else { throw WireError(problem: "no code: \(reply.status) \(reply.text)") }
        return code
    }

    /// Returns the token response to a new code.
    func tokens(_ changes: [(String, String?)] = []) async throws -> JSONValue {
        try await exchange(code: code(changes)).json()
    }
}

extension JSONValue {
    /// Returns the text of a required member.
    func text(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw WireError(problem: "no \(name) in \(self.text)") }
        return text
    }
}

extension Array where Element == (String, String) {
    /// Returns the fields with changes, each of which replaces the fields of its name, or removes them with nil.
    func changed(_ changes: [(String, String?)]) -> [(String, String)] {
        changes.reduce(self) { fields, change in
            fields.filter { $0.0 != change.0 } + (change.1.map { [(change.0, $0)] } ?? [])
        }
    }
}
