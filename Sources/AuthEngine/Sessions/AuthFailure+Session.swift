internal import AuthModel
internal import SessionStore

extension AuthFailure {
    /// Returns the failure for a session that has ended: only a new sign-in helps.
    static func sessionEnded(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, record.summary.warnings.last ?? UserMessage("session.ended", ["session": record.summary.name]),
            hint: UserMessage("hint.sign_in_again", ["provider": record.summary.name.provider]))
    }

    /// Returns the failure for a session that was deleted while an operation used it.
    static func signedOutMeanwhile(_ name: SessionName) -> AuthFailure {
        AuthFailure(
            .notSignedIn, UserMessage("session.signed_out_meanwhile", ["session": name]),
            hint: UserMessage("hint.sign_in", ["provider": name.provider]))
    }
}
