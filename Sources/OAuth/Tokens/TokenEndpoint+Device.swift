internal import AuthModel

extension TokenEndpoint {
    /// Builds the token request of a device authorization (RFC 8628 section 3.4). ``DevicePolling`` decides when to send it, and reads the
    /// response.
    ///
    /// - Parameter headers: additional header fields, such as a DPoP proof.
    public static func poll(
        _ authorization: DeviceAuthorization, at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        // A device code must be sent only to the provider that issued it.
        guard metadata.issuer == authorization.issuer, metadata.deviceAuthorizationEndpoint == authorization.endpoint,
            client.id == authorization.clientID
        else {
            throw OAuthError(
                .devicePolling, .mismatch(what: UserMessage("phrase.provider")), host: metadata.tokenEndpoint?.origin.authority)
        }
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", authorization.deviceCode.reveal()),
        ]
        // Both requests name the resources (RFC 8707 section 2.2).
        let resources = authorization.resources.map { ("resource", $0) }
        return client.tokenRequest(try url(metadata, .devicePolling), fields + resources, headers: headers)
    }
}
