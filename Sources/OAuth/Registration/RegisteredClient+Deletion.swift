public import AuthModel

extension RegisteredClient {
    /// Deletes the registration (RFC 7592 section 2.3); `nil` when the provider does not let us.
    public var deletion: WebRequest? {
        management.map {
            WebRequest(
                method: .delete, url: $0.url,
                headers: [("Authorization", "Bearer \($0.token.reveal())"), ("Accept", "application/json")],
                hasSecretPath: true)
        }
    }

    /// Judges the answer: the registration is gone, also when it was gone before (401, 404 and 410 say so; section 2.3).
    ///
    /// - Throws: ``OAuthError``; after a transient one, try again later.
    public static func validateDeletion(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) {
        if [401, 404, 410].contains(response.status) { return }
        try response.requireSuccess(.registration, host: host, now: now, success: [200, 202, 204])
    }
}
