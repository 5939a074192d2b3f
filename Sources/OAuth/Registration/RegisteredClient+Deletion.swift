public import AuthModel

extension RegisteredClient {
    /// The request that deletes the registration (RFC 7592 section 2.3); `nil` if the provider does not offer this.
    public var deletion: WebRequest? {
        management.map {
            WebRequest(
                method: .delete, url: $0.url,
                headers: [("Authorization", "Bearer \($0.token.reveal())"), ("Accept", "application/json")],
                hasSecretPath: true)
        }
    }

    /// Validates the response to a deletion. 401, 404 and 410 mean that the registration was already deleted (section 2.3).
    ///
    /// - Throws: ``OAuthError``. If it is transient, try again later.
    public static func validateDeletion(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) {
        if [401, 404, 410].contains(response.status) { return }
        try response.requireSuccess(.registration, host: host, now: now, success: [200, 202, 204])
    }
}
