internal import AuthModel
internal import SessionStore

extension AuthFailure {
    /// Returns the failure for a session that has ended: only a new sign-in helps.
    static func sessionEnded(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, record.summary.warnings.last ?? "the session \(record.summary.name) has ended",
            hint: "sign in again with: yett login \(record.summary.name.provider)")
    }

    /// Returns the failure for a session that was deleted while an operation used it.
    static func signedOutMeanwhile(_ name: SessionName) -> AuthFailure {
        AuthFailure(
            .notSignedIn, "the session \(name) was signed out in the meantime", hint: "sign in with: yett login \(name.provider)")
    }
}
