internal import AuthModel

/// An adapter whose server can be asked about the client without a user.
protocol ClientChecking: Sendable {
    /// Asks the server whether it knows the client.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) where it does not, and why it could not be asked.
    func checkClient() async throws(AuthFailure)
}
