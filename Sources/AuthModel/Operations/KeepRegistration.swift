/// Seals the management credentials of a client that was registered dynamically (RFC 7591). They are never returned.
package struct KeepRegistration: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("registration", .post, "/v1/registrations", [.isRepeatable])

    package var management: ClientManagement

    package init(_ management: ClientManagement) { self.management = management }
    package init(wire: JSONValue) throws(WireError) { management = try ClientManagement(wire: wire) }
    package func wire(_ texts: MessageTexts) -> JSONValue { management.wire(texts) }
}

/// Deletes a client registration at the provider (RFC 7592 section 2.3), and then deletes its management credentials. Returns `false` if
/// the client was not registered by this program.
package struct RemoveRegistration: SessionOperation {
    package typealias Reply = Bool
    package static let route = OperationRoute("unregistration", .post, "/v1/registrations/remove", [])

    package var clientID: String
    package var issuer: Issuer
    /// A PEM file with root certificates that are trusted in addition to the system's.
    package var caFile: String?

    package init(_ clientID: String, at issuer: Issuer, caFile: String?) {
        (self.clientID, self.issuer, self.caFile) = (clientID, issuer, caFile)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        clientID = try reader.text("client_id")
        issuer = try reader.issuer("issuer")
        caFile = try reader.optionalText("ca_file")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("client_id", .string(clientID)), ("issuer", .string(issuer.text)), ("ca_file", JSONValue(caFile)))
    }

    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue { .members(("removed", .bool(reply))) }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        try reply.flag("removed")
    }
}

/// A registration's management data. It is sent to the agent and never returned.
extension ClientManagement: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("issuer", .string(issuer.text)), ("client_id", .string(clientID)), ("url", JSONValue(url?.text)),
            ("token", JSONValue(token?.reveal())), ("secret", JSONValue(secret?.reveal())),
            ("secret_expires_at", JSONValue(secretExpiresAt)), ("auth_method", JSONValue(authenticationMethod)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            issuer: try reader.issuer("issuer"), clientID: try reader.text("client_id"),
            url: try reader.optionalURL("url"),
            token: try reader.optionalText("token").map { Secret($0) }, secret: try reader.optionalText("secret").map { Secret($0) },
            secretExpiresAt: try reader.optionalMoment("secret_expires_at"), authenticationMethod: try reader.optionalText("auth_method"))
    }
}

extension SessionService {
    /// Seals the management credentials of a registered client.
    package func keep(_ management: ClientManagement) async throws(AuthFailure) { try await perform(KeepRegistration(management)) }

    /// Deletes a client registration at the provider, and then its management credentials.
    package func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        try await perform(RemoveRegistration(clientID, at: issuer, caFile: caFile))
    }
}
