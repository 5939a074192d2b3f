import AuthModel
import TerminalUI

/// Home, once there are sessions: each on one row, with its time running.
struct SessionsScreen: Screen {
    /// What a session's words must contain.
    var filter = TextFieldContent(limit: Filter.limit)
    /// Whether letters go into the filter.
    var isFiltering = false
    /// Indices into the world's sessions that fit the filter, kept so that a key need not look through all of them.
    private(set) var matches: [Int] = []
    /// The place of the marked row among ``matches``.
    private(set) var selected = 0
    /// The session on the marked row: the mark stays with it when others come and go.
    private(set) var selectedName: SessionName?
    /// What stands first.
    private(set) var order = SessionOrder.name
    /// Whether those of one provider stand together.
    private(set) var isGrouped = false

    enum Action: Hashable, Sendable {
        case move(Movement)
        case open
        case inspect
        case signIn
        case signUp
        case renew
        case copyToken
        case signOut
        case signOutEverywhere
        case forget
        case makeActive
        case activity
        case beginFilter
        case endFilter
        case clear
        case reload
        case addProvider
        case sort
        case group
        case timeline
    }

    init(in world: World) { match(in: world) }

    /// The session on the marked row.
    func selection(in world: World) -> SessionSummary? {
        guard let sessions = world.sessions, matches.indices.contains(selected), sessions.indices.contains(matches[selected]) else {
            return nil
        }
        return sessions[matches[selected]]
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        if isFiltering {
            return [
                KeyBinding(Key.enter, action: Action.endFilter, label: SessionsWords.keyEndFilter),
                KeyBinding(.escape, action: .clear, label: PickerWords.keyClear),
            ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false)
        }
        let activate = selectedName.map { SessionWish.activation(of: $0, Action.makeActive, in: world) } ?? []
        let clear = filter.isEmpty ? [] : [KeyBinding(Key.escape, action: Action.clear, label: PickerWords.keyClear)]
        return clear + [
            KeyBinding(
                .enter, .right, .character("l"), action: .open, label: SessionsWords.keyOpen, help: SessionsWords.helpOpen),
            KeyBinding(.character("i"), action: .inspect, label: InspectorWords.key, help: InspectorWords.help, isHinted: false),
            KeyBinding(.character("s"), action: .signIn, label: SessionWords.keySignIn, help: SessionsWords.helpSignIn),
            KeyBinding(.character("r"), action: .renew, label: SessionWords.keyRenew, help: SessionWords.helpRenew),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.character("o"), action: .signOut, label: SessionWords.keySignOut, help: SessionWords.helpSignOut),
            KeyBinding(.character("/"), action: .beginFilter, label: PickerWords.keyFilter, help: PickerWords.helpFilter),
            KeyBinding(
                .character("O"), action: .signOutEverywhere, label: SignOutWords.keyEverywhere, help: SignOutWords.helpEverywhere,
                isHinted: false),
            KeyBinding(.character("x"), action: .forget, label: SessionWords.keyForget, help: SessionWords.helpForget, isHinted: false),
            KeyBinding(.character("u"), action: .signUp, label: FrontDoorWords.keySignUp, help: FrontDoorWords.helpSignUp, isHinted: false),
            KeyBinding(.character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity),
            KeyBinding(.character("T"), action: .timeline, label: TimelineWords.key, help: TimelineWords.help),
            KeyBinding(.character("z"), action: .sort, label: SessionsWords.keySort, help: SessionsWords.helpSort, isHinted: false),
            KeyBinding(.character("p"), action: .group, label: SessionsWords.keyGroup, help: SessionsWords.helpGroup, isHinted: false),
            KeyBinding(
                .character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew, isHinted: false),
            KeyBinding(.character("R"), action: .reload, label: SessionWords.keyReload, help: FrontDoorWords.helpReload, isHinted: false),
        ] + activate + Movement.bindings(Action.move, label: CommonWords.keyMove, isHinted: false)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        switch action {
        case .open, .inspect: return selection(in: world) == nil ? SessionsWords.nothingMarked : world.isLocked ? LockWords.locked : nil
        case .renew, .copyToken, .signOut, .forget, .makeActive:
            guard let session = selection(in: world) else { return SessionsWords.nothingMarked }
            return SessionObstacle.to(action.onSession, session, in: world)
        case .signOutEverywhere:
            if world.sessions?.isEmpty != false { return SessionsWords.nothingMarked }
            return world.isLocked ? LockWords.lockedSignOut : nil
        case .signIn, .signUp:
            if world.isLocked { return LockWords.locked }
            return world.providers?.isEmpty == true ? FrontDoorWords.nothingToChoose : nil
        case .addProvider: return world.presets == nil ? AddProviderWords.cannotAdd : nil
        default: return nil
        }
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement):
            select(movement.from(selected, count: matches.count, page: max(1, world.size.rows - 8)), in: world)
        case .beginFilter: isFiltering = true
        case .endFilter: isFiltering = false
        case .clear:
            isFiltering = false
            filter.clear()
            match(in: world)
        case .addProvider: return .open(.addProvider)
        case .signOutEverywhere: return .open(.confirm(SignOutWords.everywhere(world.sessions?.count ?? 0)))
        case .timeline: return .open(.timeline(selectedName))
        case .sort:
            order = order.next
            match(in: world)
            return .say(SessionsWords.sorted(order))
        case .group:
            isGrouped.toggle()
            match(in: world)
            return .say(isGrouped ? SessionsWords.grouped : SessionsWords.ungrouped)
        case .reload: return .run(.reload)
        case .activity: return .open(.activity)
        case .signIn: return .open(.picker(.signIn, preferred: selectedName))
        case .signUp: return .open(.picker(.signUp, preferred: selectedName))
        case .open:
            if let name = selectedName { return .open(.session(name)) }
        case .inspect:
            if let name = selectedName { return .open(.inspector(name)) }
        case .renew, .copyToken, .signOut, .forget, .makeActive:
            if let name = selectedName, let wish = action.onSession { return wish.step(for: name) }
        }
        return .none
    }

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { select(row, in: world) }

    mutating func receive(_ message: Message, in world: World) -> Step {
        switch message {
        case .loaded, .keeperReported(.sessionsChanged): match(in: world)
        default: break
        }
        return .none
    }

    var takesText: Bool { isFiltering }

    mutating func type(_ input: TextInput, in world: World) -> Step {
        let before = filter.text
        filter.take(input)
        if filter.text != before { match(in: world) }
        return .none
    }

    /// Every row's time runs, so there is something to tick for as soon as there is a row with an end.
    func isTimed(in world: World) -> Bool {
        world.sessions?.contains { $0.accessExpiresAt != nil } ?? false
    }

    private mutating func match(in world: World) {
        let wanted = Filter(filter.text)
        let sessions = world.sessions ?? []
        // Said once, and not for each of thousands of rows.
        let states = Dictionary(uniqueKeysWithValues: SessionState.allCases.map { ($0, Words.state($0)) })
        matches = sessions.indices.filter { index in
            let session = sessions[index]
            return wanted.fits(
                session.name.provider.text, session.name.account ?? "", states[world.state(of: session)] ?? "", more: session.scopes.values)
        }
        matches = order.sorted(matches, isGrouped: isGrouped, in: world)
        let place = selectedName.flatMap { name in matches.firstIndex { sessions[$0].name == name } }
        select(place ?? selected, in: world)
    }

    private mutating func select(_ index: Int, in world: World) {
        selected = min(max(0, index), max(0, matches.count - 1))
        selectedName = selection(in: world)?.name
    }
}

extension SessionsScreen.Action {
    /// What an action wants of the marked session; `nil` for those that want nothing of it.
    var onSession: SessionWish? {
        switch self {
        case .renew: .renew
        case .copyToken: .copyToken
        case .signOut: .signOut
        case .forget: .forget
        case .makeActive: .makeActive
        default: nil
        }
    }
}
