import AuthModel
import TerminalUI

/// The QR code on the whole screen, with the page and the code to type beside or below it.
extension SigningInPage {
    /// Draws the QR code as large as it can be, with what belongs to it beside or below it; returns false if it does not fit.
    func drawCode(in area: Rect, into buffer: inout ScreenBuffer) -> Bool {
        guard !model.isPlain, glyphs != .ascii, let device = screen.device, let picture = QRPicture(device.qrCode) else { return false }
        var best = codePlace(picture, of: device, in: area)
        // The empty row below the header may be the one that is missing.
        if area.top > 1 {
            let higher = codePlace(picture, of: device, in: area.inset(top: -1))
            if let higher, higher.size.columns > best?.size.columns ?? 0 { best = higher }
        }
        guard let place = best else { return false }
        let (inner, size) = (place.area.inset(columns: Document.margin), place.size)
        let block = place.isBelow ? 0 : place.textColumns + Self.gap
        let left = inner.left + max(0, (inner.columns - size.columns - block) / 2)
        let rows = place.text.rows(columns: place.textColumns).count
        let room = place.isBelow ? inner.rows - rows - 1 : inner.rows
        let top = inner.top + max(0, (room - size.rows) / 2)
        for (row, line) in place.lines.enumerated() {
            buffer.write(line, at: Point(column: left, row: top + row), style: Style(.text, on: .paper), clip: place.area)
        }
        let below = Rect(column: inner.left, row: top + size.rows + 1, columns: inner.columns, rows: rows)
        let right = Rect(
            column: left + size.columns + Self.gap, row: inner.top + max(0, (inner.rows - rows) / 2), columns: place.textColumns,
            rows: rows)
        place.text.draw(in: (place.isBelow ? below : right).intersection(place.area), into: &buffer)
        return true
    }

    /// A QR code with its text, and where they stand.
    private struct CodePlace {
        let area: Rect
        let lines: [String]
        let text: Document
        let textColumns: Int
        let isBelow: Bool

        var size: Size { Size(columns: lines[0].count, rows: lines.count) }
    }

    /// The parts of the text, from the most to the least that there may be space for.
    private enum CodeText: CaseIterable {
        case all, withoutCaption, withoutLetters, directions, code
    }

    /// The width of the text beside the QR code, the least where the code has no space otherwise, and the width of the space between them.
    private static let besideColumns = 28...56
    private static let leastBesideColumns = 20
    private static let gap = 3

    /// Returns the place of the largest QR code with as much of the text as fits with one; nil if none does.
    private func codePlace(_ picture: QRPicture, of device: DeviceCodePrompt, in area: Rect) -> CodePlace? {
        let inner = area.inset(columns: Document.margin)
        let usual = min(Self.besideColumns.upperBound, max(Self.besideColumns.lowerBound, inner.columns * 9 / 20))
        for part in CodeText.allCases {
            func beside(_ least: Int) -> CodePlace? {
                let room = inner.columns - least - Self.gap
                guard room > 0, let lines = picture.lines(in: Size(columns: room, rows: inner.rows)) else { return nil }
                let columns = max(least, min(usual, inner.columns - lines[0].count - Self.gap))
                let text = text(part, of: device, columns: columns)
                guard text.rows(columns: columns).count <= inner.rows else { return nil }
                return CodePlace(area: area, lines: lines, text: text, textColumns: columns, isBelow: false)
            }
            func below() -> CodePlace? {
                let text = text(part, of: device, columns: inner.columns)
                let rows = inner.rows - text.rows(columns: inner.columns).count - 1
                guard rows > 0, let lines = picture.lines(in: Size(columns: inner.columns, rows: rows)) else { return nil }
                return CodePlace(area: area, lines: lines, text: text, textColumns: inner.columns, isBelow: true)
            }
            var best: CodePlace?
            for place in [beside(usual), below()] {
                if let place, place.size.columns > best?.size.columns ?? 0 { best = place }
            }
            // A narrow text is better than no code, or one with a narrow light zone.
            if best?.size.columns ?? 0 < picture.columns, let place = beside(Self.leastBesideColumns),
                place.size.columns > best?.size.columns ?? 0
            {
                best = place
            }
            if let best { return best }
        }
        return nil
    }

    private func text(_ part: CodeText, of device: DeviceCodePrompt, columns: Int) -> Document {
        var text = Document()
        text.hasMargin = false
        guard part != .code else {
            addCodeLine(of: device, to: &text)
            return text
        }
        if part == .all || part == .withoutLetters {
            text.words(SigningInWords.scan(device.host))
            text.blank()
        }
        let hasLetters = part == .all || part == .withoutCaption
        // A row of its own would cut a code that is too long for it.
        let width = SafeText.width(of: SigningInWords.typeCode + device.userCode) + Document.margin
        addDevice(device, hasOwnRow: width <= columns, columns: hasLetters ? columns : 0, to: &text)
        return text
    }

    /// Adds the host and the code in one sentence.
    private func addCodeLine(of device: DeviceCodePrompt, to page: inout Document) {
        page.words(
            [
                Document.Span(device.host, .accent, .bold), Document.Span(SigningInWords.typeCode),
                Document.Span(device.userCode, .accent, .bold),
            ])
    }

    /// Adds the QR code alone where it cannot be drawn beside its text: line by line. A terminal that is too small for it has the page and
    /// the code to type instead, because a part of a QR code cannot be scanned.
    func addCodeAlone(to page: inout Document) {
        guard let device = screen.device else { return }
        if !model.isPlain, glyphs != .ascii { return addTooSmall(for: device, to: &page) }
        // Other characters than half blocks would draw no code.
        if glyphs != .ascii { for line in device.qrCode { page.picture(line) } }
        addCodeLine(of: device, to: &page)
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    private func addTooSmall(for device: DeviceCodePrompt, to page: inout Document) {
        if let least = QRPicture(device.qrCode)?.leastSize {
            let columns = least.columns + Self.gap + Self.leastBesideColumns + 2 * Document.margin
            page.words(SigningInWords.tooSmallForCode(columns: columns, rows: least.rows + Self.rowsAroundCode), .muted)
        }
        let size = Frame.bodySize(model.size)
        let inner = size.columns - 2 * Document.margin
        var large = page
        addDevice(device, columns: inner, to: &large)
        addDevice(device, to: &page)
        // The letters must not push the warning off the screen.
        if large.rows(columns: size.columns).count <= size.rows { page = large }
    }

    /// The rows of the header and of the footer with the one above it.
    private static let rowsAroundCode = 3
}
