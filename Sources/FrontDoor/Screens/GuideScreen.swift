import AuthModel
import TerminalUI

/// From nothing to the first session: what a person sees who has neither provider nor session.
struct GuideScreen: Screen {
    var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case demo
        case addProvider
        case activity
        case reload
    }

    /// What can be chosen now.
    enum Choice: Equatable, Sendable {
        case demo
        case addProvider
        /// What was added since: the way in.
        case signIn(ProviderName)
    }

    /// The steps to the first session, and which of them it is now.
    enum Stage: Int, CaseIterable, Sendable {
        case provider
        case signIn
        case use
    }

    static func stage(in world: World) -> Stage { world.providers?.isEmpty == false ? .signIn : .provider }

    static func choices(in world: World) -> [Choice] {
        let providers = (world.providers ?? []).map { Choice.signIn($0.name) }
        let ways: [Choice] = (world.offersDemo ? [.demo] : []) + (world.presets == nil ? [] : [.addProvider])
        return providers + (providers.isEmpty ? ways : ways.filter { $0 != .demo })
    }

    func selection(in world: World) -> Choice? {
        let choices = Self.choices(in: world)
        return choices.indices.contains(selected) ? choices[selected] : nil
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.enter, .right, .character("l"), .character("s"), action: Action.choose, label: FrontDoorWords.keyChoose,
                help: FrontDoorWords.helpChoose),
            KeyBinding(
                .character("d"), action: .demo, label: GuideWords.keyDemo, help: GuideWords.helpDemo,
                isHinted: Self.stage(in: world) == .provider),
            KeyBinding(.character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew),
            KeyBinding(.character("r"), action: .reload, label: FrontDoorWords.keyReload, help: FrontDoorWords.helpReload, isHinted: false),
            KeyBinding(
                .character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity, isHinted: false),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        switch action {
        case .activity, .reload: return nil
        case .demo: return world.offersDemo ? nil : GuideWords.noDemo
        case .addProvider: return world.presets == nil ? AddProviderWords.cannotAdd : nil
        case .move: return Self.choices(in: world).isEmpty ? FrontDoorWords.nothingToChoose : nil
        case .choose:
            guard let choice = selection(in: world) else { return FrontDoorWords.nothingToChoose }
            if case .signIn = choice, world.isLocked { return LockWords.locked }
            return nil
        }
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement):
            let count = Self.choices(in: world).count
            selected = movement.from(selected, count: count, page: count)
            return .none
        case .activity: return .open(.activity)
        case .reload: return .run(.reload)
        case .addProvider: return .open(.addProvider)
        case .demo: return .run(.startDemo)
        case .choose:
            switch selection(in: world) {
            case .demo: return .run(.startDemo)
            case .addProvider: return .open(.addProvider)
            case .signIn(let name): return .open(.signingIn(SignInRequest(provider: name)))
            case nil: return .none
            }
        }
    }

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { selected = row }

    mutating func receive(_ message: Message, in world: World) -> Step {
        switch message {
        // What was just added is what is wanted next.
        case .providerAdded(_, .success): selected = 0
        case .loaded: selected = min(selected, max(0, Self.choices(in: world).count - 1))
        default: break
        }
        return .none
    }
}
