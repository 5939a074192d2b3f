internal import AuthModel

/// Checks without a user whether an authorization server knows a client, by sending an invalid authorization code. No protocol asks for
/// this request, so it is sent only if the user asks for the check.
///
/// A server authenticates the client before it checks the code (RFC 6749 section 4.1.3). If it knows the client, it refuses the code
/// (`invalid_grant`); otherwise it refuses the client (`invalid_client`, section 5.2).
public enum ClientCheck {
    /// Builds the request to the token endpoint.
    public static func request(_ client: OAuthClient, at metadata: ProviderMetadata) throws(OAuthError) -> WebRequest {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(.codeExchange, .noEndpoint(UserMessage("phrase.token_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return client.tokenRequest(
            url,
            [
                ("grant_type", "authorization_code"), ("code", "is-this-client-known"), ("redirect_uri", "http://127.0.0.1/callback"),
                ("code_verifier", String(repeating: "0", count: 43)),
            ])
    }

    /// Returns whether the response says that the client is unknown. Any other response is inconclusive.
    public static func isUnknownClient(_ response: WebResponse) -> Bool {
        [400, 401].contains(response.status) && AuthFailure.Kind.denied(code: ServerError(response)?.code) == .unknownClient
    }
}
