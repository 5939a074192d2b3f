public import AuthModel
internal import OAuth

/// The resources that accept the tokens of a provider.
public protocol ResourceAdapter: ProviderRole {
    /// Returns the priority of a session for requests to an address; the highest is used. `nil`: the session must not be used there.
    func claim(of session: SessionSummary, on resource: WebURL) -> Int?

    /// Returns what to send to a resource for a session, if it is known without a request; `nil` if it must be fetched.
    ///
    /// - Parameter refused: a token that the resource refused.
    func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken?

    /// Returns the certificate that the user allowed for a server of the session.
    func certificate(of record: SessionRecord) -> ServerCertificate?
}

extension ResourceAdapter {
    /// Default: 0 for a resource that the configuration admits, else `nil`.
    public func claim(of session: SessionSummary, on resource: WebURL) -> Int? {
        CredentialGate(configuration).admits(resource, issuer: session.issuer) ? 0 : nil
    }

    /// Default: the session's own access token.
    public func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken? { .own(fields: []) }

    /// Default: `nil`.
    public func certificate(of record: SessionRecord) -> ServerCertificate? { nil }
}
