import AuthModel
import Localization
import TerminalUI

/// Finds every possible action by typing: on the screen below, on others, and for every session and provider.
struct PaletteScreen: FilteredScreen {
    /// An entry of the list.
    struct Entry: Equatable, Sendable {
        var title: String
        /// The action as a verb with its object, before the title that explains it; nil if the title is short.
        var verb: String?
        /// The words of the footer for the action, by which it is found too.
        var label: String?
        var keys: [Key] = []
        /// Why the action is not available now.
        var obstacle: String?
        /// Whether the action leaves the screen or the app, which has its own keys and is rarely searched for.
        var leaves = false
        var effect: Effect

        /// The place among the actions before something is typed: what does not work now is last.
        var place: Int { obstacle != nil ? 2 : leaves ? 1 : 0 }

        /// The palette's result if the entry is chosen.
        fileprivate var result: ScreenResult {
            var result =
                switch effect {
                case .press(let key): ScreenResult(move: .press(key))
                case .apply(let result): result
                }
            result.chosen = title
            return result
        }
    }

    enum Effect: Equatable, Sendable {
        /// Presses a key on the screen below.
        case press(Key)
        case apply(ScreenResult)

        /// Opens a screen in place of the palette.
        static func open(_ destination: Destination) -> Effect { .apply(.replace(destination)) }
    }

    /// A match without its text: ten thousand sessions get their texts only when they become visible.
    enum Match: Equatable, Sendable {
        /// An index into ``actions``.
        case action(Int)
        /// An index into ``sessions``.
        case session(Int, PaletteSessionAction)
        /// An index into ``providers``.
        case provider(Int)
    }

    /// The actions of the keys on the screen below, and the other screens.
    let actions: [Entry]
    /// The titles of the last chosen entries, the newest first.
    let recent: [String]
    let sessions: [SessionName]
    let providers: [ProviderName]
    var filter = TextFieldContent(limit: Filter.limit)
    /// The current matches, cached so that a key press does not repeat the search.
    private(set) var matches: [Match] = []
    var selected = 0

    /// Creates the palette.
    ///
    /// - Parameter keys: the keys of the screen below and the global keys, as in the help. The palette leaves out those that move or
    ///   scroll, and its own.
    init(keys: KeyMap<String>, in model: AppModel) {
        let keys = KeyMap(keys.bindings.filter { !$0.isMovement && $0.action != "palette" })
        let own = keys.merged.compactMap { row -> Entry? in
            row.keys.first.map { key in
                let name = PaletteWords.name(of: row.action, label: row.label)
                return Entry(
                    title: row.help, verb: name == row.help ? nil : name, label: row.label, keys: row.keys, obstacle: row.unavailable,
                    leaves: Self.leaving.contains(row.action), effect: .press(key))
            }
        }
        let titles = Set(own.map(\.title))
        actions = own + Self.places(in: model).filter { !titles.contains($0.title) } + Self.themes(in: model)
        recent = model.recentActions
        sessions = (model.sessions ?? []).map(\.name)
        providers = (model.providers ?? []).map(\.name)
        matches = found()
    }

    /// The names of the actions that leave the screen or the app.
    static let leaving: Set<String> = ["back", "leave-pane", "quit", "interrupt", "suspend"]

    /// Returns the entry at an index of the list.
    func entry(at index: Int, in model: AppModel) -> Entry? {
        guard matches.indices.contains(index) else { return nil }
        let locked = model.isLocked ? LockWords.locked : nil
        switch matches[index] {
        case .action(let action): return actions[action]
        case .session(let session, let action):
            let name = sessions[session]
            let obstacle = summary(at: session, in: model).map { action.obstacle($0, in: model) } ?? SessionWords.gone
            return Entry(title: action.title(name), obstacle: obstacle, effect: .apply(action.step(for: name, in: model)))
        case .provider(let provider):
            let request = SignInRequest(provider: providers[provider])
            return Entry(title: SigningInWords.title(request), obstacle: locked, effect: .apply(.replace(.signingIn(request))))
        }
    }

    /// Returns the current session at an index; searches by name if the sessions have changed since the palette opened.
    private func summary(at index: Int, in model: AppModel) -> SessionSummary? {
        if let all = model.sessions, all.indices.contains(index), all[index].name == sessions[index] { return all[index] }
        return model.session(sessions[index])
    }

    func actions(in model: AppModel) -> [Action] {
        let entry = entry(at: selected, in: model)
        return [
            Action(
                "choose", [.enter], label: tr("run"), obstacle: entry == nil ? PickerWords.noMatches : entry?.obstacle,
                result: entry.map(\.result) ?? .none),
            Action("back", [.escape, .control("p")], label: CommonWords.keyBack, result: .back),
        ]
            + Movement.actions(label: CommonWords.keyMove, lettersMove: false) {
                $0.selected = $1.from($0.selected, count: $0.matches.count, page: max(1, model.size.rows - 6))
            }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(takesText: true, selectedRow: selected, box: .list(rows: matches.count))
    }

    mutating func match(in model: AppModel) { matches = found() }
}

extension PaletteScreen {
    /// Opens the palette, with the keys of the screen below.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> PaletteScreen {
            let own = context.current.keys(in: context.model)
            return PaletteScreen(keys: KeyMap(own.bindings + context.globalKeys.below(own).bindings), in: context.model)
        }
    }
}

extension Destination {
    static let palette = Destination(PaletteScreen.Request())
}

extension PaletteScreen {
    func title(in model: AppModel) -> String { PaletteWords.title }
    func status(in model: AppModel) -> String { filter.isEmpty ? "" : plural(matches.count, "{1} match", "{1} matches") }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        func keys(_ entry: Entry, _ glyphs: GlyphSet) -> String { entry.keys.map { $0.label(glyphs) }.joined(separator: " ") }
        let columns = actions.reduce(9) { max($0, SafeText.width(of: keys($1, buffer.glyphs))) }
        let list = FloatingList(
            filter: filter, placeholder: tr("type what you want to do"), prompt: ":", rightColumns: columns, count: matches.count,
            selected: selected)
        let widest = actions.reduce(0) { max($0, SafeText.width(of: $1.verb ?? "")) }
        let verbs = min(widest, Self.mostVerbColumns) + 2
        let hasExplanations = list.leftColumns(in: area, model) >= verbs + Self.leastExplanation
        list.draw(in: area, model, into: &buffer) { index, glyphs in
            guard let entry = entry(at: index, in: model) else { return [] }
            return [
                .spans(
                    [Table.pointer(index == selected, glyphs)]
                        + texts(of: entry, isSelected: index == selected, columns: hasExplanations ? verbs : 0)),
                .text(keys(entry, glyphs), Style(.key)),
            ]
        }
    }

    /// The columns of the longest verb that stands in a column, and the least for an explanation beside it.
    private static let (mostVerbColumns, leastExplanation) = (26, 14)

    /// Returns the verb and its explanation, or why it does not work now; for an entry without a verb, the title.
    ///
    /// - Parameter columns: the columns of the verbs, with the gap after them; 0 if there is no space for explanations.
    private func texts(of entry: Entry, isSelected: Bool, columns: Int) -> [TextLine.Span] {
        let style = Style(entry.obstacle == nil ? .text : .muted, attributes: isSelected ? .bold : [])
        let obstacle = entry.obstacle.map { "(\(HelpWords.notNow($0)))" }
        guard let verb = entry.verb else {
            let more = obstacle.map { [TextLine.Span(" " + $0, Style(.muted))] } ?? []
            return MatchedText.spans(Words.capitalized(entry.title), filter.text, style) + more
        }
        let name = MatchedText.spans(Words.capitalized(verb), filter.text, style)
        guard columns > 0 else { return name }
        let gap = TextLine.Span(String(repeating: " ", count: max(2, columns - SafeText.width(of: verb))), style)
        // Why it does not work now is more useful than what it would do.
        if let obstacle { return name + [gap, TextLine.Span(obstacle, Style(.muted))] }
        // The explanation shows the letters only if the verb does not have them.
        let explanation = PaletteWords.explanation(entry.title, after: verb)
        let isInVerb = FuzzyMatch(filter.text, in: verb) != nil
        return name + [gap]
            + (isInVerb ? [TextLine.Span(explanation, Style(.muted))] : MatchedText.spans(explanation, filter.text, Style(.muted)))
    }
}
