/// Keeps the registrations of clients that were registered dynamically (RFC 7591). A role of ``SessionService``.
public protocol ClientRegistry: Sendable {
    /// Seals the management credentials of a registered client. They are never returned.
    func keep(_ management: ClientManagement) async throws(AuthFailure)

    /// Deletes a client registration at the provider (RFC 7592 section 2.3), and then deletes its management credentials. Returns `false`
    /// if the client was not registered by this program.
    ///
    /// - Parameter caFile: a PEM file with root certificates that are trusted in addition to the system's.
    func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool
}
