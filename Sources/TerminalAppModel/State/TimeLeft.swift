package import AuthModel
package import TerminalUI

/// The remaining lifetime of a session's access token, as a share, as text, and as a style.
package struct TimeLeft: Equatable, Sendable {
    /// The remaining share, from 1 when the token was received to 0 when it expires; nil without an expiry.
    package let share: Double?
    /// The text for a column: `42 min 10 s`.
    package let words: String
    /// A shorter text: `42 min`.
    package let short: String
    /// A stand-alone text: `42 min 10 s left`.
    package let sentence: String
    package let role: Role
    package let barRole: Role

    package init(_ session: SessionSummary, in model: AppModel) {
        let state = model.state(of: session)
        guard let end = session.accessExpiresAt, state != .revoked else {
            let isDead = state == .revoked || state == .needsSignIn || state == .error
            share = isDead ? 0 : nil
            words = isDead ? SessionsWords.ended : SessionsWords.noEnd
            short = isDead ? SessionsWords.ended : SessionsWords.noEndInShort
            sentence = isDead ? Words.state(state) : SessionWords.noEnd
            role = .muted
            barRole = .barFilled
            return
        }
        let left = end - model.now
        guard left > .zero, state != .needsSignIn else {
            share = 0
            words = SessionsWords.ended
            short = words
            sentence = SessionWords.ended(Words.relative(end, to: model.now))
            role = Words.role(state)
            barRole = .barFilled
            return
        }
        let whole = max(.milliseconds(1), end - session.receivedAt)
        share = min(1, Double(left.wholeMilliseconds) / Double(whole.wholeMilliseconds))
        words = Words.span(left)
        short = Words.roughSpan(left)
        sentence = SigningInWords.left(words)
        role = left < SessionSummary.freshness ? .warning : .text
        barRole = left < SessionSummary.freshness ? .warning : .barFilled
    }
}
