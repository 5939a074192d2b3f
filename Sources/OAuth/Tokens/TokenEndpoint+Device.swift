internal import AuthModel

extension TokenEndpoint {
    /// Asks for the tokens of a device authorization (RFC 8628 section 3.4). ``DevicePolling`` says when, and judges the answer.
    ///
    /// - Parameter headers: further fields, such as a DPoP proof.
    public static func poll(
        _ authorization: DeviceAuthorization, at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        // A device code goes to the provider that gave it, and nowhere else.
        guard metadata.issuer == authorization.issuer, metadata.deviceAuthorizationEndpoint == authorization.endpoint,
            client.id == authorization.clientID
        else { throw OAuthError(.devicePolling, .mismatch(what: "provider"), host: metadata.tokenEndpoint?.origin.authority) }
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", authorization.deviceCode.reveal()),
        ]
        // RFC 8707 section 2.2: both requests say what the tokens are for.
        let resources = authorization.resources.map { ("resource", $0) }
        return client.form(try url(metadata, .devicePolling), fields + resources, headers: headers)
    }
}
