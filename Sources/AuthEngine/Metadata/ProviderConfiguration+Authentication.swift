package import AuthModel

extension ProviderConfiguration {
    /// The client authentication method. `auto` is settled by which files are configured; without any, the secret and the metadata settle
    /// it later.
    package var settledAuthentication: ClientAuthentication {
        guard clientAuthentication == .auto else { return clientAuthentication }
        if clientCertificateFile != nil { return .tls }
        return clientKeyFile == nil ? .auto : .privateKeyJWT
    }
}
