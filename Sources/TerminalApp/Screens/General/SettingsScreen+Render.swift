import AuthModel
import Localization
import TerminalUI

extension SettingsScreen {
    func title(in model: AppModel) -> String { SettingsWords.title }

    func status(in model: AppModel) -> String {
        guard phase != .browsing, let setting = selection(in: model) else { return "" }
        return SettingsWords.name(setting.id)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard let row = selectedRow(in: model) else {
            var page = Document()
            page.words(Words.sentence(SettingsWords.nothingHere), .muted)
            return page.draw(in: area, into: &buffer)
        }
        guard area.columns < SettingsLayout.wideColumns else { return drawWide(row, in: area, model, into: &buffer) }
        if phase != .browsing, let setting = selection(in: model) {
            let (page, focused) = change(of: setting, in: area, model, buffer.glyphs)
            return page.draw(in: area, scroll: Document.scroll(to: focused, height: area.rows), into: &buffer)
        }
        let page = meaning(of: row, in: model, buffer.glyphs)
        let needed = min(page.rows(columns: area.columns).count + 1, area.rows / 2)
        let (top, bottom) = area.splitBottom(area.rows >= 8 ? needed : 0)
        drawList(in: top, model, into: &buffer)
        page.draw(in: bottom.inset(top: 1), into: &buffer)
    }

    private func meaning(of row: Row, in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        addMeaning(of: row, in: model, to: &page, glyphs)
        if let file = model.settings?.file { page.words(SettingsWords.saved(in: file), .muted) }
        return page
    }

    /// Adds what a setting does and whether it is changed; for a provider, its settings.
    func addMeaning(of row: Row, in model: AppModel, to page: inout Document, _ glyphs: GlyphSet) {
        switch row {
        case .provider(_, let settings):
            page.words(tr("Which programs get the tokens of this provider's sessions, and how its pages open."))
            let width = settings.reduce(0) { max($0, SafeText.width(of: SettingsWords.name($1.id))) } + 2
            for setting in settings {
                page.term(SettingsWords.name(setting.id), SettingsWords.value(setting), setting.isSet ? .accent : .text, width: width)
            }
        case .setting(let setting):
            page.words(SettingsWords.meaning(setting.id))
            if setting.id == .seal {
                for sentence in StoreKeyWords.sentences(model.seal) { page.words(sentence) }
            }
            let isDefault = Words.sentence(SettingsWords.isDefault)
            page.words([
                Document.Span(setting.isSet ? glyphs.disc + " " : "", .accent),
                Document.Span(setting.isSet ? tr("Changed from the default. Press d to put the default back.") : isDefault, .muted),
            ])
        }
    }

    /// The columns of a mark, and of the pointer, with the space after it.
    private static let markColumns = 2
    /// The minimum width for columns; with fewer, a setting's value follows its name.
    private static let minimumColumns = 54

    /// Returns the columns of the sections and the names.
    static func columns(of settings: [Setting]) -> [TableColumn] {
        // The mark of a changed value is before its name.
        let names = settings.reduce(18) { longest, setting in
            let provider = SafeText.width(of: setting.id.provider?.text ?? "")
            return max(longest, max(provider, SafeText.width(of: Row.setting(setting).name)) + markColumns)
        }
        let sections = settings.reduce(10) { max($0, SafeText.width(of: SettingsWords.section($1.id)) + markColumns) }
        return [
            TableColumn("", minimum: min(sections, 16), importance: 1), TableColumn("", minimum: min(names, 28), importance: 2),
        ]
    }

    /// - Parameter isBoxed: whether the list is in a box, where sections have titles of their own if it is high enough.
    func drawList(in area: Rect, isBoxed: Bool = false, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let rows = rows(in: model)
        let lines = SettingsLines(rows, height: isBoxed ? area.rows : 0)
        let named = Self.columns(of: Self.settings(in: model))
        let isNarrow = area.columns < Self.minimumColumns && !lines.hasTitles
        let glyphs = buffer.glyphs
        let isSelectable = phase == .browsing
        let columns =
            isNarrow
            ? [TableColumn("", minimum: 1, share: 1)]
            : (lines.hasTitles ? [TableColumn("", minimum: named[1].minimum + Self.markColumns, importance: 2)] : named)
                + [TableColumn("", minimum: 14, share: 1, importance: 3)]
        var table = Table(
            columns: columns, count: lines.lines.count, selected: lines.line(of: selected), hasHeader: false, isClickable: isSelectable
        ) { line in
            guard let index = lines.row(at: line) else {
                return [.across([TextLine.Span("  " + lines.title(at: line), Style(.title, attributes: .bold))])]
            }
            let isMarked = index == selected
            let pointer = Table.pointer(isMarked && isSelectable, glyphs)
            let bold: Attributes = isMarked ? .bold : []
            let row = rows[index]
            let isSet = !row.changed.isEmpty
            let mark = TextLine.Span(isSet ? glyphs.disc + " " : "  ", Style(.accent))
            let text = row.value(opened: opened, glyphs)
            let value = TextLine.Span(text, Style(isSet ? .accent : .text, attributes: bold))
            let name = TextLine.Span(row.name, Style(isSet ? .text : .muted, attributes: bold))
            if isNarrow { return [.spans([pointer, mark, name, TextLine.Span("  "), value])] }
            if lines.hasTitles { return [.spans([pointer, mark, name]), .spans([value])] }
            let isFirst = index == 0 || rows[index - 1].section != row.section
            return [
                .spans([pointer, TextLine.Span(isFirst ? row.section : "", Style(.title, attributes: bold))]), .spans([mark, name]),
                .spans([value]),
            ]
        }
        table.clicked = lines.row(at:)
        table.draw(in: area.inset(columns: isNarrow || isBoxed ? 0 : 1), into: &buffer)
    }

    /// Adds the options of a setting with their meanings and a mark at the current one, and returns the rows of the selected one.
    ///
    /// - Parameter selected: the index of the option with the pointer; `nil` for a list without a pointer.
    func addOptions(
        of setting: Setting, selected: Int?, columns: Int, _ model: AppModel, to page: inout Document, _ glyphs: GlyphSet
    ) -> Range<Int> {
        var focused = 0..<0
        let width = setting.options.reduce(0) { max($0, SafeText.width(of: SettingsWords.option($1, of: setting.id))) } + 6
        for (index, word) in setting.options.enumerated() {
            let isMarked = index == selected
            let first = page.rows(columns: columns).count
            let (pointer, option) = (isMarked ? glyphs.pointer + " " : "  ", SettingsWords.option(word, of: setting.id))
            let mark = setting.value == .word(word) ? " " + glyphs.check : ""
            let meaning = Self.meaning(of: word, for: setting.id, columns: columns, model)
            let role: Role = isMarked ? .accent : selected == nil ? .muted : .text
            if meaning.isEmpty {
                page.row(
                    Document.Span(pointer, .accent), Document.Span(option, role, isMarked ? .bold : []), Document.Span(mark, .success))
            } else {
                page.term(pointer + option + mark, [Document.Span(meaning, .muted)], width: width, as: role)
            }
            if selected != nil { page.mark(as: .row(index)) }
            if isMarked { page.choose() }
            if isMarked { focused = first..<page.rows(columns: columns).count }
        }
        return focused
    }

    /// The minimum width for the descriptions of the themes.
    private static let columnsForThemes = 60

    /// Returns the meaning of an option; empty if the option is self-explanatory.
    private static func meaning(of word: String, for id: Setting.ID, columns: Int, _ model: AppModel) -> String {
        guard id == .theme else { return SettingsWords.optionMeaning(word, of: id) }
        // The catalogues have the descriptions of the included themes.
        return columns < columnsForThemes ? "" : model.themeSummaries[word].map { tr($0) } ?? ""
    }

    /// Returns the page of the open choice or field, and its rows that must be visible.
    ///
    /// - Parameter isBoxed: whether it is in a box, with a preview below it.
    func change(
        of setting: Setting, in area: Rect, isBoxed: Bool = false, _ model: AppModel, _ glyphs: GlyphSet
    ) -> (page: Document, focused: Range<Int>) {
        var page = Document()
        page.hasMargin = !isBoxed
        var focused = 0..<0
        if area.rows >= 8 {
            page.words(SettingsWords.meaning(setting.id), .muted)
            page.blank()
        }
        switch phase {
        case .browsing: break
        case .choosing(let id, let selected):
            focused = addOptions(of: setting, selected: selected, columns: area.columns, model, to: &page, glyphs)
            if id == .theme, !isBoxed { addSample(to: &page, model, glyphs) }
        case .typing(_, let content, let problem):
            page.input(
                SettingsWords.name(setting.id), .text(content, placeholder: placeholder(of: setting)),
                labelWidth: SafeText.width(of: SettingsWords.name(setting.id)) + 3, isFocused: true)
            focused = page.rows(columns: area.columns).count - 1..<page.rows(columns: area.columns).count
            if let problem {
                page.words(Words.sentence(problem), .danger)
            } else if setting.isSpan {
                page.words(Words.sentence(tr("enter 90 s, 15 min, 2 h or 7 d; empty means never")), .muted)
            }
        }
        return (page, focused)
    }

    private func placeholder(of setting: Setting) -> String { setting.isSpan ? SettingsWords.never : SettingsWords.defaultBrowser }

    /// Adds a sample of styles, to preview the selected theme.
    func addSample(to page: inout Document, _ model: AppModel, _ glyphs: GlyphSet) {
        page.blank()
        for state in [SessionState.signedIn, .expiring, .needsSignIn, .guest] {
            page.words([
                Document.Span("\(Words.glyph(state, glyphs)) \(Words.state(state))", Words.role(state), .bold),
                Document.Span("  " + Words.meaning(state), .muted),
            ])
        }
        page.bar(0.6, Words.relative(model.now + .seconds(1560), to: model.now), .success, bar: .barFilled)
    }
}

extension Setting {
    fileprivate var isSpan: Bool {
        if case .span = value { true } else { false }
    }
}
