internal import AuthModel
internal import OAuth
internal import SessionStore

/// Servers whose certificate no known authority signed: the person may let it stand, for one server and one session.
extension ArcGISAdapter {
    private static let fieldID = "certificate"
    private static let cancel = "cancel"
    private static let allow = "allow"

    /// The adapter that a sign-in at `root` goes on with: this one, or one to which the person let the server's certificate stand.
    ///
    /// The server is asked for its certificate before a browser is sent there, which would show a warning of its own and never come back.
    /// Throws `.security` where the certificate is not to be trusted, with what is wrong with it.
    func trusting(_ root: WebURL, _ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> ArcGISAdapter {
        guard root.origin.scheme == .https else { return self }
        let knock = WebRequest(method: .get, url: root)
        do throws(AuthFailure) {
            if server(named: request) == nil {
                _ = try await attempt.step(.discover) { () async throws(AuthFailure) in try await send(knock) }
            } else {
                _ = try await send(knock)
            }
            return self
        } catch  where error.kind == .security && settings.asksAboutUntrusted {
            guard let shown = try await environment.transport.certificate(of: root.origin, policy: policy(for: root)),
                let fingerprint = shown.fingerprint
            else { throw error }
            var trusting = self
            trusting.allowed = shown
            // A wrong name or age is mended by nobody's word.
            _ = try await trusting.send(knock)
            let form = SignInForm(
                title: "Dangerous: the certificate of \(root.origin.authority) is not signed by a trusted authority; "
                    + "its SHA-256 is \(fingerprint)",
                fields: [
                    .init(
                        id: Self.fieldID, label: "Trust it",
                        kind: .choice([
                            .init(Self.cancel, title: "Cancel"), .init(Self.allow, title: "Allow it, for this session"),
                        ]), suggestion: Self.cancel)
                ])
            guard try await attempt.ask(form, given: request)[Self.fieldID]?.reveal() == Self.allow else { throw error }
            return trusting
        }
    }

    /// The same with what the person let stand when the session began.
    func remembering(_ extras: JSONValue) -> ArcGISAdapter {
        var adapter = self
        let extras = ArcGISExtras(extras)
        adapter.allowed = extras.allowed
        adapter.federated = extras.servers.keys.compactMap { WebURL($0) }
        return adapter
    }

    func certificate(of record: SessionRecord) -> ServerCertificate? { ArcGISExtras(record.extras).allowed }

    /// What a session says of itself for as long as it lasts.
    var trustWarnings: [String] {
        allowed.map { ["the certificate of \($0.origin.authority) is not signed by a trusted authority; you allowed it"] } ?? []
    }
}
