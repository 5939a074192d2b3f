import AuthModel
import TerminalAppModel
import TerminalUI

/// On a wide terminal the sign-in methods are side by side: the browser at the left, the others at the right. Below both, over the full
/// width so that they can be copied, are the URL and the command.
extension SigningInPage {
    private static let wideColumns = 110

    /// The content at the right, reduced until it fits. The footer shows the keys too.
    private enum Contents: CaseIterable {
        case all, withoutKeys, withoutCode
    }

    /// Draws the methods side by side; returns false without drawing if they do not fit.
    func drawWide(in area: Rect, into buffer: inout ScreenBuffer) -> Bool {
        guard !model.isPlain, area.columns >= Self.wideColumns, screen.pasteForm == nil, !screen.showsCode else { return false }
        // The steps and the hosts are longer lines, so the left part is wider.
        let columns = area.split(columns: [.share(11), .share(9)], gap: 1).map(\.columns)
        let (heading, browser, rest) = (self.heading, browserMethod, below)
        let rows = (heading: heading.rows(columns: area.columns).count, rest: rest.rows(columns: area.columns).count)
        let room = area.rows - rows.heading - rows.rest - 2
        let others = Contents.allCases.lazy.map { otherMethods($0) }.first { $0.rows(columns: columns[1]).count <= room }
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

    /// The steps, the hosts and the time. The header has the countdown too, so there is no bar beside a QR code.
    private var browserMethod: Document {
        var page = Document()
        for line in screen.steps { add(line, to: &page) }
        page.blank()
        addHosts(to: &page)
        if !hasOtherMethods { addCountdown(to: &page) }
        return page
    }

    /// Returns the code for another device, and the keys of the other methods.
    private func otherMethods(_ contents: Contents) -> Document {
        var page = Document()
        let others = screen.keys(in: model).bindings.filter { $0.action.isSignInMethod && $0.unavailable == nil }
        guard screen.device != nil || !others.isEmpty else { return page }
        page.words([Document.Span(SigningInWords.otherMethods, .title, .bold)])
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

    /// The full URL and other content that needs the full width.
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
    /// Whether the action is a sign-in method, or a part of one.
    fileprivate var isSignInMethod: Bool {
        switch self {
        case .accountMade, .copy, .open, .paste, .code, .requestDeviceCode: true
        default: false
        }
    }
}
