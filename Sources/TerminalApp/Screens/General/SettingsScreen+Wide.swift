import AuthModel
import Localization
import TerminalUI

/// The lines of the list of settings: each row, and where the list is high enough, the title of each section above its rows.
struct SettingsLines {
    enum Line: Equatable, Sendable {
        case blank
        case title(String)
        /// The index of a row.
        case row(Int)
    }

    let lines: [Line]
    /// Whether the sections have titles of their own; otherwise the first row of each names it.
    let hasTitles: Bool

    init(_ rows: [SettingsScreen.Row], height: Int) {
        var titled: [Line] = []
        for (index, row) in rows.enumerated() {
            if index == 0 || rows[index - 1].section != row.section {
                if index > 0 { titled.append(.blank) }
                titled.append(.title(row.section))
            }
            titled.append(.row(index))
        }
        hasTitles = titled.count <= height
        lines = hasTitles ? titled : rows.indices.map(Line.row)
    }

    /// Returns the row of a line; nil for a title.
    func row(at line: Int) -> Int? {
        if case .row(let row) = lines[line] { row } else { nil }
    }

    /// Returns the line of a row.
    func line(of row: Int) -> Int { lines.firstIndex(of: .row(row)) ?? 0 }

    func title(at line: Int) -> String {
        if case .title(let title) = lines[line] { title } else { "" }
    }
}

/// The areas of the settings on a wide terminal: the list, and beside it the selected setting. On a high one, below the list what the
/// configuration sets, and below the setting a preview of it.
struct SettingsLayout {
    var list: Rect
    var file = Rect(Size.zero)
    var details: Rect
    var preview = Rect(Size.zero)

    /// The minimum width of the body for panels beside each other.
    static let wideColumns = 120
    /// The minimum width of the panels beside the list.
    private static let detailColumns = 56
    /// The minimum rows of the panels below the others, with their lines.
    private static let (fileRows, previewRows) = (8, 9)
    /// The lines of a panel, and its padding.
    static let frame = Size(columns: 4, rows: 2)

    /// Returns whether the file has a panel below a list of so many lines.
    static func hasFile(in area: Rect, listRows: Int) -> Bool { area.rows - listRows - frame.rows >= fileRows }

    /// Returns the width of the list's panel.
    static func listColumns(in area: Rect, needed: Int) -> Int {
        min(max(needed + frame.columns, area.columns * 2 / 5), area.columns - detailColumns)
    }

    /// - Parameters:
    ///   - listRows: the lines of the list.
    ///   - detailRows: the rows of the page about the selected setting.
    init(in area: Rect, listColumns: Int, listRows: Int, detailRows: Int) {
        let sides = area.split(columns: [.cells(listColumns), .rest])
        if Self.hasFile(in: area, listRows: listRows) {
            (list, file) = sides[0].splitTop(listRows + Self.frame.rows)
        } else {
            list = sides[0]
        }
        if area.rows - detailRows - Self.frame.rows >= Self.previewRows {
            (details, preview) = sides[1].splitTop(detailRows + Self.frame.rows)
        } else {
            details = sides[1]
        }
    }
}

extension SettingsScreen {
    /// Draws the list, with the selected setting or the open change beside it, and what else there is space for.
    func drawWide(_ row: Row, in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let glyphs = buffer.glyphs
        let rows = rows(in: model)
        let lines = SettingsLines(rows, height: area.rows - SettingsLayout.frame.rows)
        let listColumns = SettingsLayout.listColumns(in: area, needed: neededColumns(rows, lines, in: model, glyphs))
        let inside = Rect(
            Size(columns: area.columns - listColumns - SettingsLayout.frame.columns, rows: area.rows - SettingsLayout.frame.rows))
        let hasFile = SettingsLayout.hasFile(in: area, listRows: lines.lines.count)
        let setting = phase == .browsing ? nil : selection(in: model)
        let change = setting.map { self.change(of: $0, in: inside, isBoxed: true, model, glyphs) }
        var page = change?.page ?? details(of: row, hasFile: hasFile, columns: inside.columns, in: model, glyphs)
        let focused = change?.focused ?? 0..<0
        let places = SettingsLayout(
            in: area, listColumns: listColumns, listRows: lines.lines.count, detailRows: page.rows(columns: inside.columns).count)
        if places.preview.isEmpty, case .setting(let setting) = row, setting.id == .theme { addSample(to: &page, model, glyphs) }

        let list = Panel(SettingsWords.title, surface: .screen, isFocused: phase == .browsing)
        buffer.draw(list, in: places.list)
        drawList(in: list.content(of: places.list), isBoxed: true, model, into: &buffer)
        let panel = Panel(row.fullTitle, surface: .screen, isFocused: phase != .browsing)
        buffer.draw(panel, in: places.details)
        let place = panel.content(of: places.details)
        page.draw(in: place, scroll: Document.scroll(to: focused, height: place.rows), into: &buffer)
        if !places.file.isEmpty { drawFile(in: places.file, model, into: &buffer) }
        guard !places.preview.isEmpty else { return }
        SettingsPreview(row: row, language: previewedLanguage(in: model), model: model).draw(in: places.preview, into: &buffer)
    }

    /// The largest width of a value that the list is as wide as.
    private static let mostValueColumns = 44

    /// Returns the width of the list in which no usual value is cut.
    private func neededColumns(_ rows: [Row], _ lines: SettingsLines, in model: AppModel, _ glyphs: GlyphSet) -> Int {
        let settings = Self.settings(in: model)
        let values = rows.map { $0.value(opened: opened, glyphs) } + settings.map(SettingsWords.value)
        let widest = values.reduce(14) { max($0, min(Self.mostValueColumns, SafeText.width(of: $1))) }
        let columns = Self.columns(of: settings).dropFirst(lines.hasTitles ? 1 : 0)
        // The pointer, and the scroll bar.
        return columns.reduce(widest + 3) { $0 + $1.minimum + Table.gap }
    }

    /// Returns the page about a setting: what it does, and what Enter offers, so that a glance is enough; about a provider, also where it
    /// is.
    private func details(of row: Row, hasFile: Bool, columns: Int, in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.hasMargin = false
        addMeaning(of: row, in: model, to: &page, glyphs)
        if !hasFile, let file = model.settings?.file { page.words(SettingsWords.saved(in: file), .muted) }
        switch row {
        case .setting(let setting):
            guard !setting.options.isEmpty else { break }
            page.blank()
            _ = addOptions(of: setting, selected: nil, columns: columns, model, to: &page, glyphs)
        case .provider(let name, _):
            guard let provider = model.provider(name) else { break }
            let facts = [
                (tr("kind"), Words.kind(provider.kind)), (SessionWords.issuer, provider.address),
                (SessionWords.scopes, provider.scopes.wire),
            ]
            page.blank()
            let width = facts.reduce(0) { max($0, SafeText.width(of: $1.0)) } + 2
            for (name, value) in facts where !value.isEmpty { page.term(name, value, width: width) }
        }
        return page
    }

    /// Draws the panel about the configuration file: what it changes, and how to change more.
    private func drawFile(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let panel = Panel(tr("Configuration file"), surface: .screen)
        buffer.draw(panel, in: area)
        var page = Document()
        page.hasMargin = false
        page.cutsTerms = true
        if let file = model.settings?.file { page.words(file) }
        page.words(tr("For more settings, edit it; see yett help configuration."), .muted)
        page.blank()
        let changed = Self.settings(in: model).filter(\.isSet).map { (name: Row.setting($0).fullTitle, value: SettingsWords.value($0)) }
        page.words(changed.isEmpty ? tr("Nothing is changed from the default.") : tr("Changed from the default:"), .muted)
        let width = changed.reduce(0) { max($0, SafeText.width(of: $1.name)) } + 2
        for (name, value) in changed { page.term(name, value, .accent, width: width) }
        page.draw(in: panel.content(of: area), into: &buffer)
    }

    /// The language that the user may choose; nil for the one in use.
    private func previewedLanguage(in model: AppModel) -> Language? {
        guard case .choosing(.language, let index) = phase, let options = model.settings?[.language]?.options,
            options.indices.contains(index)
        else { return nil }
        return Language(rawValue: options[index])
    }
}

extension SettingsScreen.Row {
    /// The name of the setting, after that of its provider, for a place where the list does not say it.
    fileprivate var fullTitle: String {
        if case .setting(let setting) = self, let provider = setting.id.provider { "\(provider.text): \(title)" } else { title }
    }
}
