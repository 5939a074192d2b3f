internal import AuthModel
internal import OAuth

/// What may be shown of a token without verifying it.
enum TokenInspection {
    /// The first six characters and an ellipsis; short tokens show nothing of themselves.
    static func redact(_ token: Secret) -> String {
        let text = token.reveal()
        return text.utf8.count < 24 ? "[\(text.utf8.count) characters]" : "\(text.prefix(6))… [\(text.utf8.count) characters]"
    }

    /// A view of a token that we did not verify, decoded where it is a JWT.
    static func view(of token: Secret, kind: TokenView.Kind, expiresAt: Timestamp?, reason: String) -> TokenView {
        guard let jwt = try? JSONWebSignature(compact: token.reveal()) else {
            return TokenView(kind: kind, redacted: redact(token), expiresAt: expiresAt, header: nil, claims: nil, verification: .opaque)
        }
        return TokenView(
            kind: kind, redacted: redact(token), expiresAt: expiresAt ?? jwt.unverifiedClaims["exp"]?.double.map(Timestamp.init(seconds:)),
            header: jwt.header, claims: jwt.unverifiedClaims, verification: .unverified(reason: reason))
    }
}
