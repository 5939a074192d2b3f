import AuthModel
import TerminalAppModel
import TerminalUI

/// Guides a user without a provider and a session to the first session.
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

    /// The choices that are available now.
    enum Choice: Equatable, Sendable {
        case demo
        case addProvider
        /// Signs in at a provider that was added.
        case signIn(ProviderName)
    }

    /// The steps to the first session.
    enum Stage: Int, CaseIterable, Sendable {
        case provider
        case signIn
        case use
    }

    static func stage(in model: AppModel) -> Stage { model.providers?.isEmpty == false ? .signIn : .provider }

    static func choices(in model: AppModel) -> [Choice] {
        let providers = (model.providers ?? []).map { Choice.signIn($0.name) }
        let ways: [Choice] = (model.offersDemo ? [.demo] : []) + (model.presets == nil ? [] : [.addProvider])
        return providers + (providers.isEmpty ? ways : ways.filter { $0 != .demo })
    }

    func selection(in model: AppModel) -> Choice? {
        let choices = Self.choices(in: model)
        return choices.indices.contains(selected) ? choices[selected] : nil
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.enter, .right, .character("l"), .character("s"), action: Action.choose, label: HomeWords.keyChoose,
                help: HomeWords.helpChoose),
            KeyBinding(
                .character("d"), action: .demo, label: GuideWords.keyDemo, help: GuideWords.helpDemo,
                isHinted: Self.stage(in: model) == .provider),
            KeyBinding(.character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew),
            KeyBinding(.character("r"), action: .reload, label: HomeWords.keyReload, help: HomeWords.helpReload, isHinted: false),
            KeyBinding(
                .character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity, isHinted: false),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .activity, .reload: return nil
        case .demo: return model.offersDemo ? nil : GuideWords.noDemo
        case .addProvider: return model.presets == nil ? AddProviderWords.cannotAdd : nil
        case .move: return Self.choices(in: model).isEmpty ? HomeWords.nothingToChoose : nil
        case .choose:
            guard let choice = selection(in: model) else { return HomeWords.nothingToChoose }
            if case .signIn = choice, model.isLocked { return LockWords.locked }
            return nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            let count = Self.choices(in: model).count
            selected = movement.from(selected, count: count, page: count)
            return .none
        case .activity: return .open(.activity)
        case .reload: return .run(.reload)
        case .addProvider: return .open(.addProvider)
        case .demo: return .run(.startDemo)
        case .choose:
            switch selection(in: model) {
            case .demo: return .run(.startDemo)
            case .addProvider: return .open(.addProvider)
            case .signIn(let name): return .open(.signingIn(SignInRequest(provider: name)))
            case nil: return .none
            }
        }
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        // Selects the provider that was just added.
        case .providerAdded(_, .success): selected = 0
        case .loaded: selected = min(selected, max(0, Self.choices(in: model).count - 1))
        default: break
        }
        return .none
    }

    var allowsProblemAbove: Bool { true }
    static func home(in model: AppModel) -> GuideScreen? { model.hasNothing ? GuideScreen() : nil }
    /// The guide stays after a provider is added, until there is a session, because the setup is only half done.
    func staysHome(in model: AppModel) -> Bool { !model.hasSessions }
    static func examples(of session: SessionName, in model: AppModel) -> [GuideScreen] { [GuideScreen()] }
}
