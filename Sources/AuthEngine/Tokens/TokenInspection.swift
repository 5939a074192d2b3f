package import AuthModel
internal import OAuth

/// Creates views of tokens without verifying them.
package enum TokenInspection {
    /// Returns the first six characters and an ellipsis; of a token shorter than 24 bytes, only its length.
    package static func redact(_ token: Secret) -> UserMessage {
        let text = token.reveal()
        return text.utf8.count < 24
            ? UserMessage("phrase.character_count", ["count": text.utf8.count])
            : UserMessage("phrase.text_with_character_count", ["text": text.prefix(6), "count": text.utf8.count])
    }

    /// Returns a view of an unverified token, decoded if it is a JWT.
    package static func view(of token: Secret, kind: TokenView.Kind, expiresAt: Timestamp?, reason: UserMessage) -> TokenView {
        guard let jwt = try? JSONWebSignature(compact: token.reveal()) else {
            return TokenView(kind: kind, redacted: redact(token), expiresAt: expiresAt, header: nil, claims: nil, verification: .opaque)
        }
        return TokenView(
            kind: kind, redacted: redact(token), expiresAt: expiresAt ?? jwt.unverifiedClaims["exp"]?.double.map(Timestamp.init(seconds:)),
            header: jwt.header, claims: jwt.unverifiedClaims, verification: .unverified(reason: reason))
    }
}
