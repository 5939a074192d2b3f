extension ProviderMetadata {
    /// The metadata for a client that presents a certificate, with the endpoints that the provider has for such clients, if any (RFC 8705
    /// section 5). Other clients do not use these endpoints.
    public var forCertificateClients: ProviderMetadata {
        var metadata = self
        metadata.tokenEndpoint = certificateEndpoints.token ?? tokenEndpoint
        metadata.userInfoEndpoint = certificateEndpoints.userInfo ?? userInfoEndpoint
        metadata.revocationEndpoint = certificateEndpoints.revocation ?? revocationEndpoint
        metadata.introspectionEndpoint = certificateEndpoints.introspection ?? introspectionEndpoint
        metadata.deviceAuthorizationEndpoint = certificateEndpoints.deviceAuthorization ?? deviceAuthorizationEndpoint
        metadata.pushedAuthorizationEndpoint = certificateEndpoints.pushedAuthorization ?? pushedAuthorizationEndpoint
        metadata.registrationEndpoint = certificateEndpoints.registration ?? registrationEndpoint
        return metadata
    }
}
