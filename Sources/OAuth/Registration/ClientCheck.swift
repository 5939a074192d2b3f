internal import AuthModel

/// Asks an authorization server whether it knows a client, without a user: by presenting an authorization code that cannot be one.
///
/// A server authenticates the client before it looks at the code (RFC 6749 section 4.1.3), so one that knows the client refuses the code
/// (`invalid_grant`), and one that has forgotten it refuses the client (`invalid_client`, section 5.2).
public enum ClientCheck {
    /// The error code of a server that does not know the client.
    public static let forgotten = "invalid_client"

    /// The request to the token endpoint.
    public static func request(_ client: OAuthClient, at metadata: ProviderMetadata) throws(OAuthError) -> WebRequest {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(.codeExchange, .noEndpoint("token endpoint"), host: metadata.issuer?.url.origin.authority)
        }
        return client.form(
            url,
            [
                ("grant_type", "authorization_code"), ("code", "is-this-client-known"), ("redirect_uri", "http://127.0.0.1/callback"),
                ("code_verifier", String(repeating: "0", count: 43)),
            ])
    }

    /// Whether the answer says that the client is not known. Any other answer says nothing.
    public static func isForgotten(_ response: WebResponse) -> Bool {
        [400, 401].contains(response.status) && ServerError(response)?.code == forgotten
    }
}
