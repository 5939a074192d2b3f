import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension InspectorScreen {
    func title(in model: AppModel) -> String { InspectorWords.title }
    func status(in model: AppModel) -> String { name.description }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let (top, body) = area.splitTop(InspectorPage.tabRows(of: tokens.count, in: area.rows))
        let margin = area.columns >= 30 ? Document.margin : 0
        let names = tokens.map { Words.token($0.kind) }
        let tabs =
            model.isPlain && names.indices.contains(selected)
            ? Tabs([names[selected]], selected: 0, surface: .screen) : Tabs(names, selected: selected, surface: .screen)
        buffer.draw(tabs, in: top.inset(columns: margin).row(0))
        for part in InspectorPage(screen: self, model: model, glyphs: buffer.glyphs).parts(in: body) {
            part.document.draw(in: part.area, scroll: part.scroll(of: self), into: &buffer)
        }
    }
}

/// The inspector's view of a token, as documents.
struct InspectorPage {
    /// A document with its place, and its lines that can be selected.
    struct Part {
        var area: Rect
        var document: Document
        /// The index of the block of each claim, by the index of the claim.
        var lines: [Int: Int] = [:]

        /// Returns the first visible row: that of the screen, or the nearest one that shows the selected claim. The first claim shows the top.
        func scroll(of screen: InspectorScreen) -> Int {
            guard !screen.claims.isEmpty else { return screen.scroll }
            guard screen.selectedClaim > 0, let block = lines[screen.selectedClaim] else { return 0 }
            func rows(to end: Int) -> Int {
                var part = document
                part.blocks = Array(document.blocks.prefix(end))
                return part.rows(columns: area.columns).count
            }
            let top = rows(to: block)
            let first = min(max(screen.scroll, rows(to: block + 1) - area.rows), top)
            return max(0, min(first, rows(to: document.blocks.count) - area.rows))
        }
    }

    let screen: InspectorScreen
    let model: AppModel
    var glyphs: GlyphSet = .unicode

    private static let wideColumns = 150
    static let termWidth = 40

    /// Returns the number of rows for the tabs.
    static func tabRows(of tokens: Int, in rows: Int) -> Int { tokens > 0 && rows >= 4 ? (rows >= 8 ? 2 : 1) : 0 }

    /// Returns the token's state, times and header, then the claims; side by side if the area is wide enough.
    func parts(in area: Rect) -> [Part] {
        guard let token = screen.token else { return [Part(area: area, document: nothing)] }
        let isWide = area.columns >= Self.wideColumns
        let areas = isWide ? area.split(columns: [.share(2), .share(3)], gap: 1) : [area]
        var pages = areas.map { Part(area: $0, document: Document()) }
        addAnatomy(of: token, width: areas[0].columns - 2 * Document.margin, to: &pages[0].document)
        var index = 0
        for part in screen.parts {
            let page = part.kind == .header ? 0 : pages.count - 1
            add(part, from: index, to: &pages[page])
            index += part.members.count
        }
        return pages
    }

    /// Returns the number of scroll positions of the longer part.
    func scrollPositions(in size: Size) -> Int {
        parts(below: size).map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
    }

    /// Returns the first visible row of the part with the selected claim.
    func scroll(in size: Size) -> Int {
        parts(below: size).first { $0.lines[screen.selectedClaim] != nil }?.scroll(of: screen) ?? 0
    }

    private func parts(below size: Size) -> [Part] {
        let rows = size.rows - Self.tabRows(of: screen.tokens.count, in: size.rows)
        return parts(in: Rect(Size(columns: size.columns, rows: max(1, rows))))
    }

    private var nothing: Document {
        var page = Document()
        switch screen.content {
        case .loading: page.words(model.isLocked ? SessionWords.sealed : SessionWords.opening, .muted)
        case .loaded: page.words(Words.sentence(InspectorWords.nothingYet), .muted)
        case .failed(let failure):
            page.words(Words.sentence(failure.message), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        }
        return page
    }

    /// Adds the members of a part, each of which can be selected and copied.
    private func add(_ part: TokenPart, from first: Int, to page: inout Part) {
        page.document.blank()
        page.document.row(Document.Span(part.title, part.role, .bold))
        for (offset, member) in part.members.enumerated() {
            let index = first + offset
            let isSelected = index == screen.selectedClaim
            let words = part.meaning(of: member.name).flatMap { $0 == member.name ? nil : " (\($0))" } ?? ""
            let pointer = ListTable.pointer(isSelected, glyphs).text
            let value = ClaimWords.value(member.value, of: member.name, now: model.now)
            page.document.term(
                pointer + member.name + words, [Document.Span(value, .text, isSelected ? .bold : [])], width: Self.termWidth,
                as: isSelected ? .accent : .muted)
            page.document.mark(as: .row(index))
            page.lines[index] = page.document.blocks.count - 1
        }
    }
}
