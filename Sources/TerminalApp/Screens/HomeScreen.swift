import AuthModel
import TerminalAppModel
import TerminalUI

/// The first screen for a user without a session: Sign In and Sign Up.
struct HomeScreen: Screen {
    /// The index of the selected entry.
    var selected = 0
    /// Whether the providers were known before, so that the selection is the user's own.
    private var hasBegun = false

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case signIn
        case signUp
        case activity
        case reload
        case addProvider
    }

    /// A sign-in or sign-up entry.
    struct Entry: Equatable, Sendable {
        var purpose: SignInRequest.Purpose
        var provider: ProviderSummary
        /// The known account to sign in as.
        var account: String?

        var request: SignInRequest { SignInRequest(provider: provider.name, purpose: purpose, account: account) }
    }

    /// Returns all entries: for each provider its known accounts, then signing in with any account, then signing up.
    static func entries(in model: AppModel) -> [Entry] {
        (model.providers ?? []).flatMap { provider in
            entries(of: provider, for: .signIn) + entries(of: provider, for: .signUp)
        }
    }

    /// Returns the entries of one provider.
    static func entries(of provider: ProviderSummary, for purpose: SignInRequest.Purpose) -> [Entry] {
        switch purpose {
        case .signIn: (provider.accounts.map(Optional.some) + [nil]).map { Entry(purpose: .signIn, provider: provider, account: $0) }
        case .signUp: provider.offersSignUp == false ? [] : [Entry(purpose: .signUp, provider: provider, account: nil)]
        // Recovery has no entry here; a failed sign-in refers the user to it.
        case .recover: []
        }
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.enter, .right, .character("l"), action: Action.choose, label: HomeWords.keyChoose, help: HomeWords.helpChoose),
            KeyBinding(.character("s"), action: .signIn, label: HomeWords.keySignIn, help: HomeWords.helpSignIn),
            KeyBinding(.character("u"), action: .signUp, label: HomeWords.keySignUp, help: HomeWords.helpSignUp),
            KeyBinding(
                .character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew, isHinted: false),
            KeyBinding(.character("r"), action: .reload, label: HomeWords.keyReload, help: HomeWords.helpReload),
            KeyBinding(
                .character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity, isHinted: false),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .activity: return nil
        case .reload: return nil
        case .addProvider: return model.presets == nil ? AddProviderWords.cannotAdd : nil
        case .move, .choose, .signIn, .signUp:
            if model.providers == nil { return model.hasLoadFailure ? HomeWords.notRead : nil }
            if model.isLocked, !action.isMove { return LockWords.locked }
            if Self.entries(in: model).isEmpty { return HomeWords.nothingToChoose }
            if action == .signUp, !Self.entries(in: model).contains(where: { $0.purpose == .signUp }) { return HomeWords.noSignUp }
            return nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        let entries = Self.entries(in: model)
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: entries.count, page: 8)
            return .none
        case .choose: return entries.indices.contains(selected) ? .open(.signingIn(entries[selected].request)) : .none
        case .signIn: return .open(.picker(.signIn, preferred: nil))
        case .signUp: return .open(.picker(.signUp, preferred: nil))
        case .activity: return .open(.activity)
        case .addProvider: return .open(.addProvider)
        case .reload: return .run(.reload)
        }
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .loaded = message else { return .none }
        let entries = Self.entries(in: model)
        if !hasBegun, let name = model.demoProvider { selected = entries.firstIndex { $0.provider.name == name } ?? 0 }
        hasBegun = true
        selected = min(selected, max(0, entries.count - 1))
        return .none
    }

    var allowsProblemAbove: Bool { true }
    static func home(in model: AppModel) -> HomeScreen? { model.hasSessions || model.hasNothing ? nil : HomeScreen() }
    func staysHome(in model: AppModel) -> Bool { !model.hasSessions && !model.hasNothing }
    static func examples(of session: SessionName, in model: AppModel) -> [HomeScreen] { [HomeScreen()] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.isLocked ? LockWords.locked : model.providers?.isEmpty == true ? HomeWords.nothingToChoose : nil
        return [
            PaletteScreen.Entry(title: HomeWords.helpSignIn, obstacle: obstacle, effect: .open(.picker(.signIn, preferred: nil))),
            PaletteScreen.Entry(title: HomeWords.helpSignUp, obstacle: obstacle, effect: .open(.picker(.signUp, preferred: nil))),
        ]
    }
}

extension HomeScreen.Action {
    /// Whether the action only moves the selection.
    fileprivate var isMove: Bool {
        if case .move = self { true } else { false }
    }
}
