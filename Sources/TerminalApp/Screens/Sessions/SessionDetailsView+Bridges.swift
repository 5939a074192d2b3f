import AuthModel
import Localization
import TerminalUI

/// The running bridges to MCP servers.
extension SessionDetailsView {
    private static let bridgeLimit = 20

    /// Adds a row for each running bridge that uses the session: its client, its server, its last call and the next renewal.
    ///
    /// - Parameter isBrief: whether only the client and the server are named.
    func addBridges(of session: SessionSummary, to page: inout Document, isBrief: Bool) {
        let bridges = model.bridges(of: session.name)
        guard !bridges.isEmpty else { return }
        page.heading(tr("Bridges"))
        for bridge in bridges.prefix(Self.bridgeLimit) {
            var spans = [Document.Span(bridge.place)]
            if !isBrief { spans.append(Document.Span("  " + times(of: bridge, session).joined(separator: ", "), .muted)) }
            page.term(CallingProgram(caller: bridge.client).name, spans, width: termWidth)
        }
        if bridges.count > Self.bridgeLimit {
            page.row(Document.Span(BridgeWords.more(bridges.count - Self.bridgeLimit), .muted))
        }
    }

    private func times(of bridge: RunningBridge, _ session: SessionSummary) -> [String] {
        let call = bridge.lastCall.map { BridgeWords.lastCall(Words.relative($0, to: model.now)) } ?? tr("no call yet")
        let renewal = session.nextRenewalAt.map {
            BridgeWords.nextRenewal($0 > model.now ? Words.relative($0, to: model.now) : SessionListWords.due)
        }
        return [call] + [renewal].compactMap(\.self)
    }
}

/// The texts about bridges to MCP servers.
package enum BridgeWords {
    /// When the bridge last got a token: `last call 3 minutes ago`.
    static func lastCall(_ time: String) -> String { tr("last call {1}", time) }
    /// When the session is next renewed: `next renewal in 40 minutes`.
    static func nextRenewal(_ time: String) -> String { tr("next renewal {1}", time) }
    static func more(_ count: Int) -> String { tr("and {1} more", count) }
}
