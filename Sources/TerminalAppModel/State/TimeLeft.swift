package import AuthModel
package import TerminalUI

/// The remaining lifetime of a session's access token, as a bar, as text, and as a style.
package struct TimeLeft: Equatable, Sendable {
    /// The bar on a scale that is the same for all sessions; nil without an expiry.
    package let bar: Bar?
    /// The text for a column: `42 min 10 s`.
    package let words: String
    /// A shorter text: `42 min`.
    package let short: String
    /// A stand-alone text: `42 min 10 s left`.
    package let sentence: String
    package let role: Role

    package init(_ session: SessionSummary, in model: AppModel) {
        let state = model.state(of: session)
        guard let end = session.accessExpiresAt, state != .revoked else {
            let isDead = state == .revoked || state == .needsSignIn || state == .error
            bar = isDead ? Bar(0) : nil
            words = isDead ? SessionsWords.ended : SessionsWords.noEnd
            short = isDead ? SessionsWords.ended : SessionsWords.noEndInShort
            sentence = isDead ? Words.state(state) : SessionWords.noEnd
            role = .muted
            return
        }
        let left = end - model.now
        guard left > .zero, state != .needsSignIn else {
            bar = Bar(0)
            words = SessionsWords.ended
            short = words
            sentence = SessionWords.ended(Words.relative(end, to: model.now))
            role = Words.role(state)
            return
        }
        let renewal = session.nextRenewalAt.flatMap { $0 > model.now && $0 < end ? Self.share(of: end - $0) : nil }
        bar = Bar(Self.share(of: left), mark: renewal, style: Style(Self.urgency(session, left)))
        words = Words.span(left)
        short = Words.roughSpan(left)
        sentence = SigningInWords.left(words)
        role = left < SessionSummary.freshness ? .warning : .text
    }

    /// Returns the role of the bar: a session that renews by itself is calm, because its token is replaced in time.
    private static func urgency(_ session: SessionSummary, _ left: Duration) -> Role {
        guard !session.isRenewable else { return .barFilled }
        return left < .seconds(300) ? .danger : left < .seconds(3600) ? .warning : .barFilled
    }

    /// Returns the share of a bar: a logarithmic scale from no more than a minute, 0, to a day or more, 1.
    static func share(of left: Duration) -> Double {
        let minutes = Double(left.wholeMilliseconds) / 60_000
        // A token that is still valid never looks expired.
        return min(1, max(0.001, logarithm(minutes) / logarithm(24 * 60)))
    }

    /// The labels of the bars' scale.
    package static var ticks: [TableColumn.Tick] {
        [
            TableColumn.Tick(SessionsWords.oneMinute, at: 0), TableColumn.Tick(SessionsWords.oneHour, at: share(of: .seconds(3600))),
            TableColumn.Tick(SessionsWords.oneDay, at: 1),
        ]
    }

    /// Returns the binary logarithm, linear between powers of two, which is exact enough for a bar. Only for positive numbers.
    private static func logarithm(_ value: Double) -> Double {
        value > 0 ? Double(value.exponent) + value.significand - 1 : -.infinity
    }
}
