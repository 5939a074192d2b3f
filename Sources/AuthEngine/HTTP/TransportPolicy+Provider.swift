package import AuthModel

extension TransportPolicy {
    /// Creates the policy for the resources of a provider's sessions: with the provider's own roots, and the client certificate if the
    /// provider's tokens may be bound to it (RFC 8705 section 3).
    package init(resourcesOf provider: ProviderConfiguration, deadline: Duration, bodyLimit: Int = 1 << 20) {
        self.init(deadline: deadline, bodyLimit: bodyLimit, caFile: provider.caFile)
        if [.tls, .auto].contains(provider.clientAuthentication) { clientCertificate = ClientCertificate(of: provider) }
    }
}

extension TransportPolicy.ClientCertificate {
    /// Creates the certificate that the configuration names; `nil` if it names none.
    package init?(of provider: ProviderConfiguration) {
        guard let file = provider.clientCertificateFile else { return nil }
        self.init(certificateFile: file, keyFile: provider.clientKeyFile)
    }
}
