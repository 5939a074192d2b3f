internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// Server certificates that no known authority signed. The user may allow such a certificate for one server and one session.
extension ArcGISAdapter {
    private static let fieldID = "certificate"
    private static let cancel = "cancel"
    private static let allow = "allow"

    /// Returns the adapter for a sign-in at `root`: this one, or one that accepts the server certificate that the user allowed.
    ///
    /// It checks the certificate before a browser is sent to the server, because the browser would show a warning of its own and never come
    /// back. Throws `.security` with the reason if the certificate is not trusted.
    func allowingCertificate(_ root: WebURL, _ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> ArcGISAdapter
    {
        guard root.origin.scheme == .https else { return self }
        let probe = WebRequest(method: .get, url: root)
        do throws(AuthFailure) {
            if server(named: request) == nil {
                _ = try await attempt.step(.discover) { () async throws(AuthFailure) in try await send(probe) }
            } else {
                _ = try await send(probe)
            }
            return self
        } catch  where error.kind == .security && settings.confirmsUntrustedCertificates {
            guard let shown = try await environment.transport.certificate(of: root.origin, policy: policy(for: root)),
                let fingerprint = shown.fingerprint
            else { throw error }
            var allowingCertificate = self
            allowingCertificate.allowed = shown
            // The user cannot allow a certificate with a wrong name or an expired one: this request fails then.
            _ = try await allowingCertificate.send(probe)
            let form = SignInForm(
                title: UserMessage("form.arcgis_certificate_untrusted", ["host": root.origin.authority, "fingerprint": fingerprint]),
                fields: [
                    .init(
                        id: Self.fieldID, label: "form.trust_certificate",
                        kind: .choice([
                            .init(Self.cancel, title: "form.cancel"), .init(Self.allow, title: "form.allow_for_session"),
                        ]), suggestion: Self.cancel)
                ])
            guard try await attempt.ask(form, given: request)[Self.fieldID]?.reveal() == Self.allow else { throw error }
            return allowingCertificate
        }
    }

    /// Returns this adapter with a session's stored data: the certificate that the user allowed, and the servers that the portal issued
    /// tokens for.
    func withStoredData(_ extras: JSONValue) -> ArcGISAdapter {
        var adapter = self
        let extras = ArcGISExtras(extras)
        adapter.allowed = extras.allowed
        adapter.federated = extras.servers.keys.compactMap { WebURL($0) }
        return adapter
    }

    func certificate(of record: SessionRecord) -> ServerCertificate? { ArcGISExtras(record.extras).allowed }

    /// The warning about an allowed certificate, which the session shows for as long as it lasts.
    var trustWarnings: [UserMessage] {
        allowed.map { [UserMessage("arcgis.allowed_certificate", ["host": $0.origin.authority])] } ?? []
    }
}
