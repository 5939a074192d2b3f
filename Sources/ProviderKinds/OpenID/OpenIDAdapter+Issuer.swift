internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The issuer of a session. Tokens are sent only to the issuer that issued them, even if the configuration has changed since.
extension OpenIDAdapter {
    /// Returns the issuer, or a substitute for a provider without one.
    func issuer(_ metadata: ProviderMetadata) -> String {
        metadata.issuer?.text ?? metadata.authorizationEndpoint?.origin.description ?? metadata.tokenEndpoint?.origin.description
            ?? configuration.name.text
    }

    /// Decides by the configuration alone, which gives the same result as ``issuer(_:)``.
    func isOwn(_ record: SessionRecord) -> Bool {
        let metadata = ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        return isIssuer(of: record, metadata)
    }

    func isIssuer(_ issuer: String, _ metadata: ProviderMetadata) -> Bool { self.issuer(metadata).utf8.elementsEqual(issuer.utf8) }

    func isIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) -> Bool { isIssuer(record.identity.issuer, metadata) }

    func isConfigured(client: String) -> Bool { client.utf8.elementsEqual(configuration.clientID.utf8) }

    func requireIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata) else { throw issuerOrClientChanged(than: record) }
    }

    /// A refresh token is bound to its client as well.
    func requireIssuerAndClient(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata), isConfigured(client: record.clientID) else { throw issuerOrClientChanged(than: record) }
    }

    private func issuerOrClientChanged(than record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .configuration,
            UserMessage("provider.configuration_changed", ["provider": configuration.name, "session": record.summary.name]),
            hint: UserMessage("hint.restore_issuer_and_client_id", ["provider": configuration.name]))
    }
}
