import AuthModel
import Localization
import TerminalUI

/// Chooses a theme: the app shows the selected one at once, Enter saves it, and Esc returns to the one in use.
struct ThemesScreen: ListScreen {
    /// The index of the selected theme in the model.
    var selected: Int

    func actions(in model: AppModel) -> [Action] {
        let name = wanted(in: model)
        return [
            Action(
                "keep", [.enter], label: SettingsWords.keyKeep, help: tr("use this theme and save it"),
                result: name == nil || name == model.themeName ? .back : keep(name ?? "")),
            Action(
                "back", [.escape, .left, .character("h")], label: SettingsWords.keyLeave, help: tr("return to the theme in use"),
                result: .back),
            // The key that opened the list goes through it.
            Action(
                "next", [.character("t")], label: tr("next theme"), isHinted: false,
                change: { $0.selected = model.themes.isEmpty ? 0 : ($0.selected + 1) % model.themes.count }),
        ]
            + Movement.actions(label: CommonWords.keyMove) {
                $0.selected = $1.from($0.selected, count: model.themes.count, page: max(1, model.size.rows - 9))
            }
    }

    private func keep(_ name: String) -> ScreenResult {
        ScreenResult(
            commands: [.saveSetting(SettingChange(.theme, .word(name)))], move: .back, notice: Notice(tr("theme {1}", name), .good))
    }

    /// Returns the name of the selected theme; nil if it no longer exists.
    private func wanted(in model: AppModel) -> String? { model.themes.indices.contains(selected) ? model.themes[selected] : nil }

    func traits(in model: AppModel) -> ScreenTraits {
        let rows = model.themes.count + (FloatingBox.hasNarrowPreview(in: model) ? Self.summaryRows : 0)
        return ScreenTraits(selectedRow: selected, box: .card(rows: rows), previewedTheme: wanted(in: model))
    }

    /// The rows below a narrow list for the description of the selected theme, with an empty one.
    private static let summaryRows = 3

    /// The user's own themes may change while the list is open.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        if case .settingsRead(.success) = message { selected = min(selected, max(0, model.themes.count - 1)) }
        return .none
    }

    static func examples(of session: SessionName, in model: AppModel) -> [ThemesScreen] { [ThemesScreen(selected: model.theme)] }
}

extension ThemesScreen {
    func title(in model: AppModel) -> String { tr("Theme") }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let glyphs = buffer.glyphs
        let (list, below) = area.splitBottom(FloatingBox.hasNarrowPreview(in: model) ? Self.summaryRows : 0)
        // The pointer is before the name, and the mark of the theme in use after it.
        let names = model.themes.reduce(8) { max($0, SafeText.width(of: $1)) } + 4
        let columns = [
            TableColumn("", minimum: min(names, 24), importance: 2), TableColumn("", minimum: 30, share: 1, importance: 1),
        ]
        var table = Table(columns: columns, count: model.themes.count, selected: selected, hasHeader: false) { index in
            let name = model.themes[index]
            let mark = index == model.theme ? [TextLine.Span(" " + glyphs.check, Style(.success))] : []
            return [
                .spans(
                    [
                        Table.pointer(index == selected, glyphs),
                        TextLine.Span(name, Style(.text, attributes: index == selected ? .bold : [])),
                    ] + mark),
                .text(summary(of: name, in: model), Style(.muted)),
            ]
        }
        // In its box, the list is on the panel's surface.
        table.surface = FloatingBox.hasSpace(in: model) ? .panel : .screen
        table.draw(in: list, into: &buffer)
        guard !below.isEmpty, let name = wanted(in: model) else { return }
        var page = Document()
        page.hasMargin = false
        page.words(summary(of: name, in: model), .muted)
        page.draw(in: below.inset(top: 1), surface: .panel, into: &buffer)
    }

    /// Returns the description of a theme. The catalogues have those of the included themes.
    private func summary(of name: String, in model: AppModel) -> String { model.themeSummaries[name].map { tr($0) } ?? "" }
}

extension ThemesScreen {
    /// Opens the list with the theme in use selected.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> ThemesScreen { ThemesScreen(selected: context.model.theme) }
    }
}

extension Destination {
    static let themes = Destination(ThemesScreen.Request())
}
