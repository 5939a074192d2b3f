import AuthModel
import TerminalUI

/// What a person sees who has no session: the ways in.
struct FrontDoorScreen: Screen {
    /// Which of the ways in is marked.
    var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case signIn
        case signUp
        case activity
        case reload
        case addProvider
    }

    /// One way in.
    struct Entry: Equatable, Sendable {
        var purpose: SignInRequest.Purpose
        var provider: ProviderSummary
        /// The account that is known there already.
        var account: String?

        var request: SignInRequest { SignInRequest(provider: provider.name, purpose: purpose, account: account) }
    }

    /// Every way in: for each provider its known accounts, then signing in as anybody, then signing up.
    static func entries(in world: World) -> [Entry] {
        (world.providers ?? []).flatMap { provider in
            entries(of: provider, for: .signIn) + entries(of: provider, for: .signUp)
        }
    }

    /// The ways in at one provider.
    static func entries(of provider: ProviderSummary, for purpose: SignInRequest.Purpose) -> [Entry] {
        switch purpose {
        case .signIn: (provider.accounts.map(Optional.some) + [nil]).map { Entry(purpose: .signIn, provider: provider, account: $0) }
        case .signUp: provider.offersSignUp == false ? [] : [Entry(purpose: .signUp, provider: provider, account: nil)]
        // Nobody looks for it here; whoever needs it is told to.
        case .recover: []
        }
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.enter, .right, .character("l"), action: Action.choose, label: FrontDoorWords.keyChoose, help: FrontDoorWords.helpChoose),
            KeyBinding(.character("s"), action: .signIn, label: FrontDoorWords.keySignIn, help: FrontDoorWords.helpSignIn),
            KeyBinding(.character("u"), action: .signUp, label: FrontDoorWords.keySignUp, help: FrontDoorWords.helpSignUp),
            KeyBinding(
                .character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew, isHinted: false),
            KeyBinding(.character("r"), action: .reload, label: FrontDoorWords.keyReload, help: FrontDoorWords.helpReload),
            KeyBinding(
                .character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity, isHinted: false),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        switch action {
        case .activity: return nil
        case .reload: return nil
        case .addProvider: return world.presets == nil ? AddProviderWords.cannotAdd : nil
        case .move, .choose, .signIn, .signUp:
            if world.providers == nil { return world.couldNotRead ? FrontDoorWords.notRead : nil }
            if world.isLocked, action.startsSignIn { return LockWords.locked }
            if Self.entries(in: world).isEmpty { return FrontDoorWords.nothingToChoose }
            if action == .signUp, !Self.entries(in: world).contains(where: { $0.purpose == .signUp }) { return FrontDoorWords.noSignUp }
            return nil
        }
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        let entries = Self.entries(in: world)
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

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { selected = row }

    mutating func receive(_ message: Message, in world: World) -> Step {
        if case .loaded = message { selected = min(selected, max(0, Self.entries(in: world).count - 1)) }
        return .none
    }
}

extension FrontDoorScreen.Action {
    /// Whether it leads to a sign-in, which has to be stored.
    fileprivate var startsSignIn: Bool {
        if case .move = self { false } else { true }
    }
}
