package import AuthModel

/// An adapter that can ask its server about the client without a user.
package protocol ClientChecking: Sendable {
    /// Asks the server whether it knows the client.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) if the server does not know the client; another failure if it could
    ///   not be asked.
    func checkClient() async throws(AuthFailure)
}
