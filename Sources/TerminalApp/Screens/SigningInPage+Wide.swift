import AuthModel
import TerminalUI

/// A wide terminal has the ways in side by side: the browser's at the left, the others at the right. Below both, over all columns and
/// with nothing beside them, stand the address and the command that are to be copied.
extension SigningInPage {
    private static let wideColumns = 110

    /// What stands at the right, as far as there is room for it. The footer has the keys, too.
    private enum Contents: CaseIterable {
        case all, withoutKeys, withoutCode
    }

    /// Draws the ways beside each other; `false` where there is no room for all of it, and nothing was drawn.
    func drawWide(in area: Rect, into buffer: inout ScreenBuffer) -> Bool {
        guard !model.isPlain, area.columns >= Self.wideColumns, screen.pasteForm == nil, !screen.showsCode else { return false }
        // The steps and the hosts are the longer lines.
        let columns = area.split(columns: [.share(11), .share(9)], gap: 1).map(\.columns)
        let (heading, browser, rest) = (self.heading, browserWay, below)
        let rows = (heading: heading.rows(columns: area.columns).count, rest: rest.rows(columns: area.columns).count)
        let room = area.rows - rows.heading - rows.rest - 2
        let others = Contents.allCases.lazy.map { otherWays($0) }.first { $0.rows(columns: columns[1]).count <= room }
        guard let others else { return false }
        let height = max(browser.rows(columns: columns[0]).count, others.rows(columns: columns[1]).count)
        guard height <= room else { return false }
        let parts = area.split(rows: [.cells(rows.heading + 1), .cells(height), .cells(1), .rest])
        heading.draw(in: parts[0], into: &buffer)
        let ways = parts[1].split(columns: [.share(11), .share(9)], gap: 1)
        browser.draw(in: ways[0], into: &buffer)
        let line = Rect(column: ways[0].right, row: ways[0].top, columns: 1, rows: height)
        buffer.fill(line, with: glyphs.vertical, style: Style(.border))
        others.draw(in: ways[1], into: &buffer)
        rest.draw(in: parts[3], scroll: screen.scroll, into: &buffer)
        return true
    }

    private var heading: Document {
        var page = Document()
        page.words([Document.Span(instruction, .accent, .bold)])
        addFailure(to: &page)
        return page
    }

    /// The steps, the hosts and the time. The heading has the time as well, so no bar is drawn beside a QR code.
    private var browserWay: Document {
        var page = Document()
        for line in screen.steps { add(line, to: &page) }
        page.blank()
        addHosts(to: &page)
        if !hasOtherWays { addCountdown(to: &page) }
        return page
    }

    /// The code for another device, and the keys of whatever else can be done.
    private func otherWays(_ contents: Contents) -> Document {
        var page = Document()
        let others = screen.keys(in: model).bindings.filter { $0.action.isWay && $0.unavailable == nil }
        guard screen.device != nil || !others.isEmpty else { return page }
        page.words([Document.Span(SigningInWords.otherWays, .title, .bold)])
        if let device = screen.device {
            page.words(
                [
                    Document.Span(SigningInWords.onAnyDevice), Document.Span(device.host, .accent, .bold),
                    Document.Span(SigningInWords.openPage), Document.Span(device.page.text, .link),
                ], hanging: 2)
            page.row(Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold), indent: 1)
            page.words(SigningInWords.onlyIfYours, .warning)
            if contents != .withoutCode, glyphs != .ascii, !device.qrCode.isEmpty {
                page.blank()
                for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) }
                guard contents == .all else { return page }
            }
            page.blank()
        }
        for binding in others {
            guard let key = binding.keys.first else { continue }
            page.term(key.label(glyphs), [Document.Span(binding.help)], width: 4, as: .key)
            page.mark(as: .key(key))
        }
        return page
    }

    /// The whole address and whatever else wants all columns.
    private var below: Document {
        var page = Document()
        if let url = screen.url { page.verbatim(url.text, Style(.link)) }
        addAuthenticator(to: &page)
        addForwarding(to: &page)
        addRemarks(to: &page)
        return page
    }
}

extension SigningInScreen.Action {
    /// Whether it is a way in, or a part of one.
    fileprivate var isWay: Bool {
        switch self {
        case .accountMade, .copy, .open, .paste, .code, .requestDeviceCode: true
        default: false
        }
    }
}
