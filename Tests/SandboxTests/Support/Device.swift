import AuthModel
import Sandbox

/// A device without a browser, as an OAuth client.
struct Device {
    let server: SandboxServer
    var clientID = "yett"

    func begin(_ changes: [(String, String?)] = []) async throws -> Reply {
        let fields = [("client_id", clientID), ("scope", "openid email offline_access")]
        return try await Wire.post(server.issuer + "/device_authorization", fields.changed(changes))
    }

    func poll(_ code: String, headers: [(String, String)] = []) async throws -> Reply {
        try await Wire.post(
            server.issuer + "/token",
            [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code), ("client_id", clientID)],
            headers: headers)
    }
}
