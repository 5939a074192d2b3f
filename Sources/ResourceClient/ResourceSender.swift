package import AuthModel
package import OAuth

/// Sends requests to the resources of one provider: with a token only to the URL that the engine issued it for, otherwise without
/// credentials.
package protocol ResourceSender {
    /// Sends a request that carries a token, with the client's certificate if one is configured (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - issued: the token, with the URL that it was issued for.
    ///   - login: the credentials for a web server in front of the resource.
    /// - Throws: `.security` if the request goes to another URL than the token was issued for.
    func send(_ request: WebRequest, with issued: IssuedToken, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Sends a request without a token.
    ///
    /// - Parameter login: the credentials for a web server in front of the resource.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Returns the scopes in the metadata of a resource that asked for more scopes without naming them; empty if it has none.
    func scopes(of resource: WebURL, after challenge: Challenge) async -> [String]
}
