import AuthModel
import TerminalUI

/// The first screen once there are sessions: one row per session, with its time left.
struct SessionsScreen: Screen {
    /// The filter's text.
    var filter = TextFieldContent(limit: Filter.limit)
    /// Whether letters are typed into the filter.
    var isFiltering = false
    /// The indices into the model's sessions that match the filter, cached so that a key press does not search all of them.
    private(set) var matches: [Int] = []
    /// The index of the selected row in ``matches``.
    private(set) var selected = 0
    /// The session on the selected row: it stays selected when other sessions are added or removed.
    private(set) var selectedName: SessionName?
    /// The details beside or below the list; nil if the terminal is too small for them.
    private(set) var pane: SessionPane?
    /// The sort order.
    private(set) var order = SessionOrder.name
    /// Whether the sessions are grouped by provider.
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
        case focusPane
        case leavePane
        case tab(SessionPane.Tab)
    }

    init(in model: AppModel) { match(in: model) }

    /// Returns the session on the selected row.
    func selection(in model: AppModel) -> SessionSummary? {
        guard let sessions = model.sessions, matches.indices.contains(selected), sessions.indices.contains(matches[selected]) else {
            return nil
        }
        return sessions[matches[selected]]
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        if isFiltering {
            return [
                KeyBinding(Key.enter, action: Action.endFilter, label: SessionsWords.keyEndFilter),
                KeyBinding(.escape, action: .clear, label: PickerWords.keyClear),
            ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false)
        }
        let activate = selectedName.map { SessionAction.activation(of: $0, Action.makeActive, in: model) } ?? []
        let clear = filter.isEmpty ? [] : [KeyBinding(Key.escape, action: Action.clear, label: PickerWords.keyClear)]
        let leave =
            pane?.isFocused == true
            ? [KeyBinding(Key.escape, .left, .tab, action: Action.leavePane, label: SessionPaneWords.keyList)] : []
        return leave + clear + [
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
            KeyBinding(.character("u"), action: .signUp, label: HomeWords.keySignUp, help: HomeWords.helpSignUp, isHinted: false),
            KeyBinding(.character("a"), action: .activity, label: SessionsWords.keyActivity, help: SessionsWords.helpActivity),
            KeyBinding(.character("T"), action: .timeline, label: TimelineWords.key, help: TimelineWords.help),
            KeyBinding(.character("z"), action: .sort, label: SessionsWords.keySort, help: SessionsWords.helpSort, isHinted: false),
            KeyBinding(.character("p"), action: .group, label: SessionsWords.keyGroup, help: SessionsWords.helpGroup, isHinted: false),
            KeyBinding(
                .character("n"), action: .addProvider, label: AddProviderWords.keyNew, help: AddProviderWords.helpNew, isHinted: false),
            KeyBinding(.character("R"), action: .reload, label: SessionWords.keyReload, help: HomeWords.helpReload, isHinted: false),
        ] + activate + paneBindings + Movement.bindings(Action.move, label: CommonWords.keyMove, isHinted: false)
    }

    private var paneBindings: [KeyBinding<Action>] {
        [
            KeyBinding(
                .tab, action: .focusPane, label: SessionPaneWords.keyDetails, help: SessionPaneWords.helpDetails, isHinted: false)
        ]
            + SessionPane.Tab.allCases.map { tab in
                KeyBinding(
                    .character(Character("\(tab.rawValue + 1)")), action: .tab(tab), label: tab.title,
                    help: SessionPaneWords.helpTab(tab.title), isHinted: false)
            }
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .open, .inspect: return selection(in: model) == nil ? SessionsWords.nothingMarked : model.isLocked ? LockWords.locked : nil
        case .renew, .copyToken, .signOut, .forget, .makeActive:
            guard let session = selection(in: model) else { return SessionsWords.nothingMarked }
            return SessionActionObstacle.to(action.sessionAction, session, in: model)
        case .signOutEverywhere:
            if model.sessions?.isEmpty != false { return SessionsWords.nothingMarked }
            return model.isLocked ? LockWords.lockedSignOut : nil
        case .signIn, .signUp:
            if model.isLocked { return LockWords.locked }
            return model.providers?.isEmpty == true ? HomeWords.nothingToChoose : nil
        case .focusPane, .tab: return pane == nil ? SessionPaneWords.needsLargerTerminal : nil
        case .addProvider: return model.presets == nil ? AddProviderWords.cannotAdd : nil
        default: return nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement) where pane?.isFocused == true:
            let area = layout(in: model, area: Frame.body(model.size)).pane
            pane?.move(movement, in: model, area: area)
        case .focusPane: pane?.isFocused = true
        case .leavePane: pane?.isFocused = false
        case .tab(let tab): pane?.choose(tab)
        case .move(let movement):
            select(movement.from(selected, count: matches.count, page: max(1, model.size.rows - 8)), in: model)
        case .beginFilter: isFiltering = true
        case .endFilter: isFiltering = false
        case .clear:
            isFiltering = false
            filter.clear()
            match(in: model)
        case .addProvider: return .open(.addProvider)
        case .signOutEverywhere: return .open(.confirm(.signingOutEverywhere(model.sessions?.count ?? 0)))
        case .timeline: return .open(.timeline(selectedName))
        case .sort: return sort(by: order.next, in: model)
        case .group:
            isGrouped.toggle()
            match(in: model)
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
            if let name = selectedName, let action = action.sessionAction { return action.step(for: name) }
        }
        return .none
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { select(row, in: model) }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .loaded, .serviceReported(.sessionsChanged): match(in: model)
        default: break
        }
        return ScreenResult(commands: pane?.receive(message, in: model) ?? [])
    }

    /// Shows the selected session in the details, if there are some.
    mutating func settle(in model: AppModel) -> [Command] {
        guard SessionsLayout.panePlace(model) != nil, let name = selectedName else {
            pane = nil
            return []
        }
        guard pane != nil else {
            pane = SessionPane(name)
            return pane?.session.openingCommands ?? []
        }
        return pane?.show(name) ?? []
    }

    mutating func choose(part: Int, in model: AppModel) -> ScreenResult {
        if let chip = SessionCount.Chip(rawValue: part - Self.firstChip) {
            guard let state = chip.state else { return sort(by: .attention, in: model) }
            filter = TextFieldContent(Words.state(state), limit: Filter.limit)
            match(in: model)
            return .none
        }
        return SessionsTable.order(ofColumn: part).map { sort(by: $0, in: model) } ?? .none
    }

    /// The number of the first count that can be clicked, above those of the column titles.
    static let firstChip = 100

    private mutating func sort(by order: SessionOrder, in model: AppModel) -> ScreenResult {
        self.order = order
        match(in: model)
        return .say(SessionsWords.sorted(order))
    }

    var takesText: Bool { isFiltering }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        let before = filter.text
        filter.take(input)
        if filter.text != before { match(in: model) }
        return .none
    }

    /// Every row shows its time left, so the screen ticks if any session has an expiry.
    func needsTicks(in model: AppModel) -> Bool {
        model.overview.countsDown
    }

    private mutating func match(in model: AppModel) {
        let wanted = Filter(filter.text)
        let sessions = model.sessions ?? []
        // Computed once, not for each of thousands of rows.
        let states = Dictionary(uniqueKeysWithValues: SessionState.allCases.map { ($0, Words.state($0)) })
        matches = sessions.indices.filter { index in
            let session = sessions[index]
            return wanted.fits(
                session.name.provider.text, session.name.account ?? "", states[model.state(of: session)] ?? "", more: session.scopes.values)
        }
        if matches.isEmpty { matches = lettersInOrder(in: sessions) }
        matches = order.sorted(matches, isGrouped: isGrouped, in: model)
        let place = selectedName.flatMap { name in matches.firstIndex { sessions[$0].name == name } }
        select(place ?? selected, in: model)
    }

    /// Returns the sessions whose names contain the letters of the filter in order, as the palette does if no text contains the words.
    private func lettersInOrder(in sessions: [SessionSummary]) -> [Int] {
        let words = filter.text.lowercased().split(separator: " ").map { Array($0.utf8) }
        return sessions.indices.filter { index in
            let name = sessions[index].name.description
            return words.allSatisfy { FuzzyMatch.mayMatch($0, name) } && FuzzyMatch(filter.text, in: name) != nil
        }
    }

    mutating func select(_ session: SessionName, in model: AppModel) {
        guard let sessions = model.sessions, let place = matches.firstIndex(where: { sessions[$0].name == session }) else { return }
        select(place, in: model)
    }

    private mutating func select(_ index: Int, in model: AppModel) {
        selected = min(max(0, index), max(0, matches.count - 1))
        selectedName = selection(in: model)?.name
    }

    var allowsProblemAbove: Bool { true }
    static func home(in model: AppModel) -> SessionsScreen? { model.hasSessions ? SessionsScreen(in: model) : nil }
    func staysHome(in model: AppModel) -> Bool { model.hasSessions }
    static func examples(of session: SessionName, in model: AppModel) -> [SessionsScreen] { [SessionsScreen(in: model)] }
}

extension SessionsScreen.Action {
    /// The action on the selected session; nil for actions that affect no session.
    var sessionAction: SessionAction? {
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
