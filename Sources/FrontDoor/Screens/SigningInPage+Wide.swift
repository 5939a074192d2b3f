import AuthModel
import TerminalUI

/// A wide terminal has the ways in side by side: the browser's at the left, the others at the right, the whole address below both.
extension SigningInPage {
    private static let wideColumns = 110

    /// Draws the ways beside each other; `false` where there is no room for all of it, and nothing was drawn.
    func drawWide(in area: Rect, into buffer: inout ScreenBuffer) -> Bool {
        guard !world.isPlain, area.columns >= Self.wideColumns, screen.pasteForm == nil, !screen.showsCode else { return false }
        let panel = Panel(SigningInWords.otherWays)
        // The steps and the hosts are the longer lines.
        let half = area.columns * 11 / 20
        let inside = panel.content(of: Rect(column: 0, row: 0, columns: area.columns - half - 1, rows: area.rows)).columns
        var heading = Document()
        heading.words([Document.Span(instruction, .accent, .bold)])
        if !hasOtherWays { addTrouble(to: &heading) }
        let browser = browserWay(columns: half)
        let rest = below(columns: area.columns, half: half)
        let rows = (heading: heading.rows(columns: area.columns).count, rest: rest.rows(columns: area.columns).count)
        let room = area.rows - rows.heading - rows.rest - 2
        let others = Contents.allCases.lazy.map { otherWays($0) }.first { $0.rows(columns: inside).count + 2 <= room }
        guard let others else { return false }
        let height = max(browser.rows(columns: half).count, others.rows(columns: inside).count + 2)
        guard height <= room else { return false }
        let parts = area.split(rows: [.cells(rows.heading + 1), .cells(height + 1), .rest])
        heading.draw(in: parts[0], into: &buffer)
        let ways = parts[1].split(columns: [.cells(half), .rest])
        browser.draw(in: ways[0], into: &buffer)
        let box = ways[1].inset(right: 1).splitTop(others.rows(columns: inside).count + 2).top
        buffer.draw(panel, in: box)
        others.draw(in: panel.content(of: box), surface: panel.surface, into: &buffer)
        rest.draw(in: parts[2], scroll: screen.scroll, into: &buffer)
        return true
    }

    /// The steps, the hosts and the time; and what brings another machine's browser here, where that fits on a line of its own.
    private func browserWay(columns: Int) -> Document {
        var page = Document()
        for line in screen.steps { add(line, to: &page) }
        page.blank()
        addHosts(to: &page)
        addCountdown(to: &page)
        if fitsBesideOthers(columns) { addForwarding(to: &page) }
        return page
    }

    private func fitsBesideOthers(_ columns: Int) -> Bool { screen.forwarding.map { SafeText.width(of: $0) < columns } ?? false }

    /// What stands in the box, as far as there is room for it. The footer has the keys, too.
    private enum Contents: CaseIterable {
        case all, withoutKeys, withoutCode
    }

    /// The code for another device, and the keys of whatever else can be done.
    private func otherWays(_ contents: Contents) -> Document {
        var page = Document()
        page.hasMargin = false
        if let device = screen.device {
            addDevice(device, to: &page)
            if contents != .withoutCode, glyphs != .ascii, !device.qrCode.isEmpty {
                page.blank()
                for line in device.qrCode { page.picture(line, isReversed: world.hasLightGround) }
                guard contents == .all else { return page }
            }
            page.blank()
        }
        for binding in screen.keys(in: world).bindings where binding.action.isWay && binding.unavailable == nil {
            guard let key = binding.keys.first else { continue }
            page.term(key.label(glyphs), [Document.Span(binding.help)], width: 4, as: .key)
            page.mark(as: .key(key))
        }
        return page
    }

    /// The whole address and whatever else wants all columns.
    private func below(columns: Int, half: Int) -> Document {
        var page = Document()
        if let url = screen.url { page.verbatim(url.text, Style(.link)) }
        addAuthenticator(to: &page)
        if !fitsBesideOthers(half) { addForwarding(to: &page) }
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
