import AuthModel
import TerminalAppModel
import TerminalUI

extension SettingsScreen {
    func title(in model: AppModel) -> String { SettingsWords.title }

    func status(in model: AppModel) -> String {
        guard phase != .browsing, let setting = selection(in: model) else { return "" }
        return SettingsWords.name(setting.id)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard let setting = selection(in: model) else {
            var page = Document()
            page.words(Words.sentence(SettingsWords.nothingHere), .muted)
            return page.draw(in: area, into: &buffer)
        }
        guard area.columns < 120 else { return drawWide(setting, in: area, model, into: &buffer) }
        guard phase == .browsing else { return drawChange(of: setting, in: area, model, into: &buffer) }
        let page = meaning(of: setting, in: model)
        let needed = min(page.rows(columns: area.columns).count + 1, area.rows / 2)
        let (top, bottom) = area.splitBottom(area.rows >= 8 ? needed : 0)
        drawList(in: top, model, into: &buffer)
        page.draw(in: bottom.inset(top: 1), into: &buffer)
    }

    /// Draws the list, with the open change beside it.
    private func drawWide(_ setting: Setting, in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let parts = area.split(columns: [.share(1), .share(1)], gap: 1)
        drawList(in: parts[0], model, into: &buffer)
        let panel = Panel(SettingsWords.name(setting.id), isFocused: phase != .browsing)
        if phase == .browsing {
            var page = meaning(of: setting, in: model)
            page.hasMargin = false
            let height = page.rows(columns: panel.content(of: parts[1]).columns).count + 2
            let place = parts[1].splitTop(min(height, parts[1].rows)).top
            buffer.draw(panel, in: place)
            page.draw(in: panel.content(of: place), surface: panel.surface, into: &buffer)
        } else {
            buffer.draw(panel, in: parts[1])
            let inside = panel.content(of: parts[1])
            drawChange(of: setting, in: inside, model, surface: panel.surface, into: &buffer)
        }
    }

    private func meaning(of setting: Setting, in model: AppModel) -> Document {
        var page = Document()
        page.words(SettingsWords.meaning(setting.id))
        if let file = model.settings?.file { page.words(SettingsWords.writtenTo(file), .muted) }
        return page
    }

    /// The minimum width for columns; with fewer, a setting's value follows its name.
    private static let minimumColumns = 54

    private func drawList(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let settings = Self.settings(in: model)
        let names = settings.reduce(18) { max($0, SafeText.width(of: SettingsWords.name($1.id))) }
        let columns = [
            TableColumn("", minimum: 14, importance: 1), TableColumn("", minimum: min(names, 26), importance: 2),
            TableColumn("", minimum: 14, share: 1, importance: 3),
        ]
        let isNarrow = area.columns < Self.minimumColumns
        let glyphs = buffer.glyphs
        let isSelectable = phase == .browsing
        let table = ListTable(
            columns: isNarrow ? [TableColumn("", minimum: 1, share: 1)] : columns, count: settings.count, selected: selected,
            hasHeader: false,
            isClickable: isSelectable
        ) { index in
            let setting = settings[index]
            let isMarked = index == selected
            let pointer = ListTable.pointer(isMarked && isSelectable, glyphs)
            let bold: Attributes = isMarked ? .bold : []
            let value = TextLine.Span(SettingsWords.value(setting), Style(.accent, attributes: bold))
            let name = TextLine.Span(SettingsWords.name(setting.id), Style(attributes: bold))
            if isNarrow { return [.spans([pointer, name, TextLine.Span("  "), value])] }
            let section = SettingsWords.section(setting.id)
            let isFirst = index == 0 || SettingsWords.section(settings[index - 1].id) != section
            return [
                .spans([pointer, TextLine.Span(isFirst ? section : "", Style(.title, attributes: bold))]), .spans([name]),
                .spans([value] + (setting.isSet ? [] : [TextLine.Span(" " + SettingsWords.isDefaultMark, Style(.muted))])),
            ]
        }
        table.draw(in: area.inset(columns: isNarrow ? 0 : 1), into: &buffer)
    }

    /// Draws the open choice or field.
    private func drawChange(
        of setting: Setting, in area: Rect, _ model: AppModel, surface: Surface = .screen, into buffer: inout ScreenBuffer
    ) {
        var page = Document()
        page.hasMargin = surface == .screen
        var focused = 0..<0
        if area.rows >= 8 {
            page.words(SettingsWords.meaning(setting.id), .muted)
            page.blank()
        }
        switch phase {
        case .browsing: return
        case .choosing(let id, let selected):
            for (index, word) in setting.options.enumerated() {
                let isMarked = index == selected
                let first = page.rows(columns: area.columns).count
                let meaning = SettingsWords.optionMeaning(word, of: id)
                page.row(
                    Document.Span(isMarked ? buffer.glyphs.pointer + " " : "  ", .accent),
                    Document.Span(SettingsWords.option(word, of: id), isMarked ? .accent : .text, isMarked ? .bold : []),
                    Document.Span(setting.value == .word(word) ? " " + buffer.glyphs.check : "", .success),
                    Document.Span(meaning.isEmpty ? "" : "  " + meaning, .muted))
                page.mark(as: .row(index))
                if isMarked { focused = first..<first + 1 }
            }
            if id == .theme { addSample(to: &page, model, buffer.glyphs) }
        case .typing(_, let content, let problem):
            page.input(
                SettingsWords.name(setting.id), .text(content, placeholder: placeholder(of: setting)),
                labelWidth: SafeText.width(of: SettingsWords.name(setting.id)) + 3, isFocused: true)
            focused = page.rows(columns: area.columns).count - 1..<page.rows(columns: area.columns).count
            if let problem {
                page.words(Words.sentence(problem), .danger)
            } else if setting.isSpan {
                page.words(Words.sentence(SettingsWords.noSpan), .muted)
            }
        }
        page.draw(in: area, scroll: Document.scroll(to: focused, height: area.rows), surface: surface, into: &buffer)
    }

    private func placeholder(of setting: Setting) -> String { setting.isSpan ? SettingsWords.never : SettingsWords.defaultBrowser }

    /// Adds a sample of styles, to preview the selected theme.
    private func addSample(to page: inout Document, _ model: AppModel, _ glyphs: GlyphSet) {
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
