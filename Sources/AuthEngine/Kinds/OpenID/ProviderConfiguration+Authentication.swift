internal import AuthModel

extension ProviderConfiguration {
    /// How the client shows who it is: `auto` is settled by which files there are; without any, by secret and metadata, later.
    var settledAuthentication: ClientAuthentication {
        guard clientAuthentication == .auto else { return clientAuthentication }
        if clientCertificateFile != nil { return .tls }
        return clientKeyFile == nil ? .auto : .privateKeyJWT
    }
}
