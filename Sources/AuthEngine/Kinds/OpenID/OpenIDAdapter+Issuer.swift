internal import AuthModel
internal import OAuth

/// Whose sessions these are: tokens go to the issuer that gave them, and to nobody else, whatever the configuration says today.
extension OpenIDAdapter {
    /// The issuer, or what stands for it where a provider names none.
    func issuer(_ metadata: ProviderMetadata) -> String {
        metadata.issuer?.text ?? metadata.authorizationEndpoint?.origin.description ?? metadata.tokenEndpoint?.origin.description
            ?? configuration.name.text
    }

    /// By the configuration alone: what names the issuer there is what ``issuer(_:)`` gives.
    func isOwn(_ record: SessionRecord) -> Bool {
        let metadata = ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        return isIssuer(of: record, metadata)
    }

    func isIssuer(_ issuer: String, _ metadata: ProviderMetadata) -> Bool { self.issuer(metadata).utf8.elementsEqual(issuer.utf8) }

    func isIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) -> Bool { isIssuer(record.identity.issuer, metadata) }

    func isConfigured(client: String) -> Bool { client.utf8.elementsEqual(configuration.clientID.utf8) }

    func requireIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata) else { throw configuredOtherwise(than: record) }
    }

    /// A refresh token is its client's as well.
    func requireIssuerAndClient(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata), isConfigured(client: record.clientID) else { throw configuredOtherwise(than: record) }
    }

    private func configuredOtherwise(than record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .configuration, "the provider \(configuration.name) is configured otherwise than when \(record.summary.name) signed in",
            hint: "put its issuer and client_id back, or sign in again with: yett login \(configuration.name)")
    }
}
