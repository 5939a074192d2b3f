import AuthModel
import Localization
import TerminalUI

/// The first screen for a user without a session: Sign In and Sign Up.
struct HomeScreen: ListScreen {
    /// The index of the selected entry.
    var selected = 0
    /// Whether the providers were known before, so that the selection is the user's own.
    private var hasBegun = false

    func actions(in model: AppModel) -> [Action] {
        let entries = SignInChoice.all(in: model)
        let empty =
            model.providers == nil ? (model.hasLoadFailure ? HomeWords.notRead : nil) : entries.isEmpty ? HomeWords.nothingToChoose : nil
        let obstacle = model.providers == nil ? empty : model.lockObstacle ?? empty
        let offersSignUp = model.providers == nil || entries.contains { $0.purpose == .signUp }
        return [
            Action(
                "choose", [.enter, .right, .character("l")], label: CommonWords.keyChoose, help: HomeWords.helpChoose, obstacle: obstacle,
                result: entries.indices.contains(selected) ? .open(.signingIn(entries[selected].request)) : .none),
            Action(
                "sign-in", [.character("s")], label: CommonWords.keySignIn, help: HomeWords.helpSignIn, obstacle: obstacle,
                result: .open(.picker(.signIn, preferred: nil))),
            Action(
                "sign-up", [.character("u")], label: CommonWords.keySignUp, help: HomeWords.helpSignUp,
                obstacle: obstacle ?? (offersSignUp ? nil : tr("no configured provider supports sign-up")),
                result: .open(.picker(.signUp, preferred: nil))),
            AddProviderScreen.action(in: model),
            Action(
                "reload", [.character("R"), .character("r")], label: CommonWords.keyReload, help: HomeWords.helpReload,
                isHinted: model.hasLoadFailure, result: .run(.reload)),
            ActivityScreen.action(isHinted: false),
        ]
            + Movement.actions(label: CommonWords.keyMove, tabMoves: true, obstacle: empty) {
                $0.selected = $1.from($0.selected, count: entries.count, page: 8)
            }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(selectedRow: selected, staysFirst: !model.hasSessions && !model.hasNothing, allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .loaded = message else { return .none }
        let entries = SignInChoice.all(in: model)
        if !hasBegun, let name = model.demoProvider { selected = entries.firstIndex { $0.provider.name == name } ?? 0 }
        hasBegun = true
        selected = min(selected, max(0, entries.count - 1))
        return .none
    }

    static func home(in model: AppModel) -> HomeScreen? { model.hasSessions || model.hasNothing ? nil : HomeScreen() }
    static func examples(of session: SessionName, in model: AppModel) -> [HomeScreen] { [HomeScreen()] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.isLocked ? LockWords.locked : model.providers?.isEmpty == true ? HomeWords.nothingToChoose : nil
        return [
            PaletteScreen.Entry(title: HomeWords.helpSignIn, obstacle: obstacle, effect: .open(.picker(.signIn, preferred: nil))),
            PaletteScreen.Entry(title: HomeWords.helpSignUp, obstacle: obstacle, effect: .open(.picker(.signUp, preferred: nil))),
        ]
    }

    func title(in model: AppModel) -> String { tr("Home") }
    func status(in model: AppModel) -> String {
        if model.isLocked { return LockWords.isLocked }
        // The gate picture already contains the motto.
        return Self.parts(of: Frame.body(model.size), in: model).gate.isEmpty ? Words.motto : ""
    }

    /// Returns the areas of the guest banner, the gate picture and the entries; the first two are empty if they are not shown.
    private static func parts(of area: Rect, in model: AppModel) -> (banner: Rect, gate: Rect, rest: Rect) {
        let (banner, body) = area.splitTop(model.guest == nil ? 0 : 2)
        let hasSpace = body.rows >= 16 && body.columns >= 60
        let entries = SignInChoice.all(in: model)
        let page = body.middle(columns: columns(of: entries, in: model), rows: GatePicture.rows + 1 + entries.count)
        let (gate, rest) = page.splitTop(hasSpace ? GatePicture.rows + 1 : 0)
        return (banner, gate, rest)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let (banner, gate, area) = Self.parts(of: area, in: model)
        if let guest = model.guest { GuestBanner(guest.name, in: model).draw(in: banner, into: &buffer) }
        buffer.draw(GatePicture(), in: gate)
        guard model.providers != nil else {
            var page = Document()
            if model.hasLoadFailure {
                page.words(Words.sentence(HomeWords.notRead), .warning)
            } else {
                page.words(tr("Loading sessions."), .muted)
            }
            return page.draw(in: area, into: &buffer)
        }
        drawEntries(in: area, model, into: &buffer)
    }

    private func drawEntries(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let entries = SignInChoice.all(in: model)
        let isNarrow = area.columns < 36
        let widths = Self.widths(of: entries, in: model)
        let columns =
            isNarrow
            ? [TableColumn("", minimum: 1, share: 1)]
            : [
                // What is free belongs to the addresses, unless another text is cut.
                TableColumn("", minimum: widths.name, share: Self.longestName(in: model) > widths.name ? 1 : 0, importance: 3),
                TableColumn("", minimum: widths.label, share: Self.longestLabel(in: model, entries) > widths.label ? 2 : 0, importance: 4),
                TableColumn("", minimum: 14, share: 3, importance: 1),
            ]
        let glyphs = buffer.glyphs
        let table = Table(columns: columns, count: entries.count, selected: selected, hasHeader: false) { index in
            let entry = entries[index]
            let pointer = Table.pointer(index == selected, glyphs)
            let bold: Attributes = index == selected ? .bold : []
            guard !isNarrow else {
                return [.spans([pointer, TextLine.Span(SigningInWords.title(entry.request), Style(attributes: bold))])]
            }
            let isFirst = index == 0 || entries[index - 1].provider.name != entry.provider.name
            return [
                .spans([pointer, TextLine.Span(entry.provider.name.text, Style(isFirst ? .text : .muted, attributes: bold))]),
                .text(HomeWords.entry(entry), Style(entry.purpose == .signIn ? .text : .muted, attributes: bold)),
                .text(entry.provider.address, Style(.muted)),
            ]
        }
        // On a very wide screen, the three columns would be too far apart to read as one line.
        let place = area.inset(right: max(0, area.columns - Self.maximumColumns))
        table.draw(in: place.inset(columns: place.columns >= 60 ? Document.margin : 0), into: &buffer)
    }

    private static let maximumColumns = 120

    /// Returns the width that the gate picture and the entries need, so that they are in the middle of a large screen.
    private static func columns(of entries: [SignInChoice], in model: AppModel) -> Int {
        let addresses = entries.prefix(visibleEntries).reduce(0) { max($0, SafeText.width(of: $1.provider.address)) }
        let widths = widths(of: entries, in: model)
        let texts = [widths.name, widths.label, addresses]
        return min(maximumColumns, max(GatePicture.fullColumns, texts.reduce(2 * Document.margin) { $0 + $1 + 2 * Table.gap }))
    }

    /// Returns the least widths of the columns with the names and the labels.
    private static func widths(of entries: [SignInChoice], in model: AppModel) -> (name: Int, label: Int) {
        (max(12, min(24, longestName(in: model))), max(18, min(46, longestLabel(in: model, entries))))
    }

    /// Returns the width of the longest name, with the pointer before it.
    private static func longestName(in model: AppModel) -> Int {
        ((model.providers ?? []).lazy.map { SafeText.width(of: $0.name.text) }.max() ?? 0) + 2
    }

    /// Returns the width of the longest label of the first entries, or of those that a provider defines, because a cut label is not
    /// understandable.
    private static func longestLabel(in model: AppModel, _ entries: [SignInChoice]) -> Int {
        let own = (model.providers ?? []).lazy.flatMap { [$0.labels.signIn, $0.labels.signUp] }.compactMap(\.self).map(SafeText.width)
        return entries.prefix(visibleEntries).reduce(own.max() ?? 0) { max($0, SafeText.width(of: HomeWords.entry($1))) }
    }

    /// About as many entries as the largest screens show.
    private static let visibleEntries = 100
}

/// A banner that asks a guest to sign in.
struct GuestBanner {
    let text: String

    init(_ name: SessionName, in model: AppModel) {
        text = HomeWords.guest(name, prompt: model.provider(name.provider)?.labels.guestPrompt)
    }

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        guard !row.isEmpty else { return }
        let style = Style(.info, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(text, in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }
}

/// The texts of the home screen.
enum HomeWords {
    static var greeting: (first: String, second: String) {
        (tr("Sign in once, in your own browser."), tr("Your tools get their tokens here."))
    }

    /// Returns the text of the guest banner.
    ///
    /// - Parameter prompt: the provider's own text for guests.
    static func guest(_ name: SessionName, prompt: String?) -> String {
        guard let prompt, !prompt.isEmpty else {
            return tr("You are a guest of {1}. To keep your data, press s to sign in.", name.provider)
        }
        return tr("{1}: {2}. Press s to sign in.", name.provider, prompt)
    }

    static var notRead: String { tr("could not load the providers: press r to try again") }
    static var nothingToChoose: String { tr("no provider is configured: press n to add one, or quit and run yett demo") }

    static var helpChoose: String { tr("start the selected action") }
    static var helpSignIn: String { tr("choose where to sign in") }
    static var helpSignUp: String { tr("choose where to sign up") }
    static var helpReload: String { tr("reload the providers and sessions") }

    static func entry(_ entry: SignInChoice) -> String {
        switch (entry.purpose, entry.account) {
        case (.signIn, let account?): tr("Sign in as {1}", account)
        case (.signIn, nil) where !entry.provider.accounts.isEmpty: tr("Sign in as another user")
        case (.signIn, nil): entry.provider.labels.signIn ?? Words.purpose(.signIn)
        case (.signUp, _), (.recover, _): entry.provider.labels.signUp ?? Words.purpose(.signUp)
        }
    }
}
