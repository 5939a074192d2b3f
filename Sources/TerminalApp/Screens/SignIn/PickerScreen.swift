package import AuthModel
import Localization
import TerminalUI

/// Chooses where to sign in or sign up, with a filter that takes every typed letter.
struct PickerScreen: FilteredScreen {
    var purpose: SignInRequest.Purpose
    /// The filter's text; an entry must contain each of its words.
    var filter = TextFieldContent(limit: Filter.limit)
    /// The matching entries, cached so that a key press does not search ten thousand of them.
    private(set) var matches: [SignInChoice]
    /// A provider to select as soon as it is in the list.
    private var added: ProviderName?
    /// The selected row; the one after the last entry adds a provider.
    var selected = 0

    /// Creates the picker.
    ///
    /// - Parameter preferred: the session whose account is selected first.
    init(_ purpose: SignInRequest.Purpose, preferred: SessionName?, in model: AppModel) {
        self.purpose = purpose
        matches = []
        match(in: model)
        if let name = model.demoProvider, preferred == nil {
            selected = matches.firstIndex { $0.provider.name == name } ?? 0
        }
        if let preferred {
            selected =
                matches.firstIndex { $0.provider.name == preferred.provider && $0.account == preferred.account }
                ?? matches.firstIndex { $0.provider.name == preferred.provider } ?? 0
        }
    }

    /// Whether the row for adding a provider is selected.
    var isAddRowSelected: Bool { selected >= matches.count }

    func actions(in model: AppModel) -> [Action] {
        let addObstacle = model.presets == nil ? AddProviderWords.cannotAdd : nil
        return [
            Action(
                "choose", [.enter], label: isAddRowSelected ? AddProviderWords.keyNew : PickerWords.key(purpose),
                obstacle: isAddRowSelected ? addObstacle : model.lockObstacle,
                result: isAddRowSelected
                    ? .open(.addProvider(typed: matches.isEmpty ? filter.text : "", then: purpose))
                    : matches.indices.contains(selected) ? .replace(.signingIn(matches[selected].request)) : .none),
            Action(
                "clear", [.escape], label: filter.isEmpty ? CommonWords.keyBack : PickerWords.keyClear,
                run: { screen in
                    guard !screen.filter.isEmpty else { return .back }
                    screen.filter.clear()
                    screen.match(in: model)
                    return .none
                }),
            // The first `/` starts the filter, as in other lists; a later one may be part of a URL.
            Action(
                "begin-filter", [.character("/")], label: PickerWords.keyFilter, isHinted: false,
                run: { $0.filter.isEmpty ? .none : $0.type(.key(.character("/")), in: model) }),
        ]
            + Movement.actions(label: CommonWords.keyMove, lettersMove: false, tabMoves: true) {
                $0.selected = $1.from($0.selected, count: $0.matches.count + 1, page: max(1, model.size.rows - 8))
            }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        // With the row for adding a provider, and the question above the filter.
        ScreenTraits(takesText: true, selectedRow: selected, box: .list(rows: matches.count + 1 + Self.questionRows))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .loaded: match(in: model)
        // Selects the provider that was just added.
        case .providerAdded(_, .success(let name)):
            added = name
            filter.clear()
        default: break
        }
        return .none
    }

    mutating func match(in model: AppModel) {
        let wanted = Filter(filter.text)
        let entries = (model.providers ?? []).flatMap { SignInChoice.all(of: $0, for: purpose) }
        matches = entries.filter { entry in
            wanted.fits(
                entry.provider.name.text, entry.provider.address, Self.who(entry, in: model), more: [Words.kind(entry.provider.kind)])
        }
        selected = min(selected, matches.count)
        if let name = added, let index = matches.firstIndex(where: { $0.provider.name == name }) {
            selected = index
            added = nil
        }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [PickerScreen] {
        [PickerScreen(.signIn, preferred: nil, in: model)]
    }

    /// Opens the picker.
    struct Request: ScreenRequest {
        var purpose: SignInRequest.Purpose
        var preferred: SessionName?

        func screen(in context: inout OpeningContext) -> PickerScreen {
            PickerScreen(purpose, preferred: preferred, in: context.model)
        }
    }

    func title(in model: AppModel) -> String { Words.purpose(purpose) }
    func status(in model: AppModel) -> String { plural(matches.count, "{1} option", "{1} options") }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        // In its box, the list has its margin.
        let margin = !FloatingBox.hasSpace(in: model) && area.columns >= 30 ? Document.margin : 0
        let inner = area.inset(columns: margin)
        let isLow = area.rows < 7
        let parts = inner.split(rows: [.cells(isLow ? 0 : Self.questionRows), .cells(isLow ? 1 : 2), .rest])
        buffer.write(
            purpose == .signIn ? tr("Where do you want to sign in?") : tr("Where do you want to sign up?"), in: parts[0],
            style: Style(.title, attributes: .bold))
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter).draw(in: parts[1], into: &buffer)
        let list = drawNothing(in: parts[2], into: &buffer)
        let columns = columns(in: list.columns, model)
        let glyphs = buffer.glyphs
        let widths = Table(columns: columns, count: matches.count + 1, hasHeader: false) { _ in [] }.widths(in: list.size)
        let table = Table(columns: columns, count: matches.count + 1, selected: selected, hasHeader: false) { index in
            guard index < matches.count else { return Self.new(isMarked: index == selected, glyphs) }
            let entry = matches[index]
            let isFirst = index == 0 || matches[index - 1].provider.name != entry.provider.name
            // Servers on one machine differ only in their ports.
            let address = FittedText(
                Self.host(entry.provider.address), columns: widths[Self.addressColumn] ?? 0, cut: .middle, ellipsis: glyphs.ellipsis)
            return [
                .spans([
                    Table.pointer(index == selected, glyphs),
                    TextLine.Span(
                        entry.provider.name.text, Style(isFirst ? .text : .muted, attributes: index == selected ? .bold : [])),
                ]),
                .text(Self.who(entry, in: model), Style(entry.account == nil ? .muted : .text)),
                .text(address.text, Style(.muted)),
                .text(Words.kind(entry.provider.kind), Style(.muted)),
            ]
        }
        table.draw(in: list, into: &buffer)
    }

    /// Returns the columns: the name, who signs in, the address, the kind.
    private func columns(in width: Int, _ model: AppModel) -> [TableColumn] {
        let isWide = width >= Self.wideColumns
        // The name matters most for the choice: a long one takes space from other columns.
        let longest = (matches.lazy.map { SafeText.width(of: $0.provider.name.text) }.max() ?? 0) + 2
        let name = max(12, min(isWide ? 36 : 24, longest))
        let (usualKind, kind) = (widest(14...16) { Words.kind($0.provider.kind) }, widest(14...24) { Words.kind($0.provider.kind) })
        return [
            TableColumn("", minimum: name, share: 2, importance: 4),
            TableColumn("", minimum: name == 12 ? 20 : widest(12...18) { Self.who($0, in: model) }, share: 2, importance: 3),
            TableColumn("", minimum: name == 12 ? 38 - usualKind : 18, share: 2, importance: 2),
            TableColumn("", minimum: isWide ? kind : usualKind, importance: 1),
        ]
    }

    /// The width of a list that has space for long names and kinds: their maximum, those of the other columns, and the gaps.
    private static let wideColumns = 104
    /// The index of the column of the address.
    private static let addressColumn = 2

    /// Returns an address without the scheme: only a server on this machine has any other than HTTPS.
    private static func host(_ address: String) -> String {
        address.hasPrefix("http://") ? String(address.dropFirst("http://".count)) : address
    }

    /// The rows of the question, with the space below it.
    private static let questionRows = 2

    /// Returns the width of the longest text of the entries, within bounds, so that no column takes space that another one needs.
    private func widest(_ bounds: ClosedRange<Int>, _ text: (SignInChoice) -> String) -> Int {
        let longest = matches.map { SafeText.width(of: text($0)) }.max() ?? 0
        return min(max(longest, bounds.lowerBound), bounds.upperBound)
    }

    /// Draws a message if no entry matches; returns the area left for the list.
    private func drawNothing(in area: Rect, into buffer: inout ScreenBuffer) -> Rect {
        guard matches.isEmpty, !filter.isEmpty, area.rows > 2 else { return area }
        buffer.write(Words.sentence(PickerWords.noMatches), in: area, style: Style(.warning))
        return area.splitTop(2).rest
    }

    /// Returns the row for adding a provider.
    private static func new(isMarked: Bool, _ glyphs: GlyphSet) -> [Table.Content] {
        [
            .across([
                Table.pointer(isMarked, glyphs),
                TextLine.Span(tr("Add a provider…"), Style(isMarked ? .text : .muted, attributes: isMarked ? .bold : [])),
            ])
        ]
    }

    private static func hasSession(at provider: ProviderName, in model: AppModel) -> Bool {
        model.sessions?.contains { $0.name.provider == provider } ?? false
    }

    private static func who(_ entry: SignInChoice, in model: AppModel) -> String {
        switch (entry.purpose, entry.account) {
        case (.signUp, _), (.recover, _): tr("a new account")
        case (.signIn, let account?): tr("as {1}", account)
        case (.signIn, nil):
            // A guest's session is no account.
            entry.provider.accounts.isEmpty && !hasSession(at: entry.provider.name, in: model) ? tr("not signed in") : tr("as another user")
        }
    }
}

extension Destination {
    /// - Parameter preferred: the session whose account is selected first.
    static func picker(_ purpose: SignInRequest.Purpose, preferred: SessionName?) -> Destination {
        Destination(PickerScreen.Request(purpose: purpose, preferred: preferred))
    }
}

/// A sign-in or sign-up that the user can choose.
struct SignInChoice: Equatable, Sendable {
    var purpose: SignInRequest.Purpose
    var provider: ProviderSummary
    /// The known account to sign in as.
    var account: String?

    var request: SignInRequest { SignInRequest(provider: provider.name, purpose: purpose, account: account) }

    /// Returns all choices: for each provider its known accounts, then signing in with any account, then signing up.
    static func all(in model: AppModel) -> [SignInChoice] {
        (model.providers ?? []).flatMap { provider in
            all(of: provider, for: .signIn) + all(of: provider, for: .signUp)
        }
    }

    /// Returns the choices of one provider.
    static func all(of provider: ProviderSummary, for purpose: SignInRequest.Purpose) -> [SignInChoice] {
        switch purpose {
        case .signIn: (provider.accounts.map(Optional.some) + [nil]).map { SignInChoice(purpose: .signIn, provider: provider, account: $0) }
        case .signUp: provider.offersSignUp == false ? [] : [SignInChoice(purpose: .signUp, provider: provider, account: nil)]
        // Recovery is no choice here; a failed sign-in refers the user to it.
        case .recover: []
        }
    }
}

/// The texts of the picker.
package enum PickerWords {
    package static var noMatches: String { tr("no matches") }
    package static var typeToFilter: String { tr("type to filter") }

    package static func key(_ purpose: SignInRequest.Purpose) -> String {
        purpose == .signIn ? CommonWords.keySignIn : CommonWords.keySignUp
    }
    package static var keyClear: String { tr("show all") }
    package static var keyFilter: String { tr("filter") }
    package static var helpFilter: String { tr("show only lines that contain the typed words") }
}
