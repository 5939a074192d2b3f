import AuthModel
import Localization
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
    private(set) var pane: SessionDetailsPane?
    /// The sort order.
    private(set) var order = SessionOrder.attention
    /// Whether the sessions are grouped by provider.
    private(set) var isGrouped = false
    /// The number of rows at the top that need the user; 0 if the user chose another order.
    private(set) var urgent = 0
    /// The number of rows after them that end and cannot be renewed.
    private(set) var ending = 0
    /// The first line of the visible page of the list.
    private(set) var top = 0
    /// Whether the user selected a row. Until then the first row is selected, so that nothing urgent is above the visible rows.
    private var hasMoved = false
    /// The overview by which the list was last sorted.
    private var sorted = SessionOverview()

    init(in model: AppModel) { match(in: model) }

    /// Returns the session on the selected row.
    func selection(in model: AppModel) -> SessionSummary? {
        guard let sessions = model.sessions, matches.indices.contains(selected), sessions.indices.contains(matches[selected]) else {
            return nil
        }
        return sessions[matches[selected]]
    }

    func actions(in model: AppModel) -> [Action] {
        guard !isFiltering else {
            return [
                Action("end-filter", [.enter], label: SessionListWords.keyEndFilter, change: { $0.isFiltering = false }), clear(in: model),
            ] + Movement.actions(label: CommonWords.keyMove, lettersMove: false) { $0.move($1, in: model) }
        }
        let session = selection(in: model)
        let nothing = SessionListWords.nothingMarked
        let readObstacle = session == nil ? nothing : model.lockObstacle
        let signInObstacle = model.lockObstacle ?? (model.providers?.isEmpty == true ? HomeWords.nothingToChoose : nil)
        let leave = Action(
            "leave-pane", [.escape, .left, .tab], label: SessionDetailsPaneWords.keyList, change: { $0.pane?.isFocused = false })
        return (pane?.isFocused == true ? [leave] : []) + (filter.isEmpty ? [] : [clear(in: model)]) + [
            enter(session, readObstacle: readObstacle, signInObstacle: signInObstacle, in: model),
            Action(
                "open-details", [.right, .character("l")], label: SessionListWords.keyOpen, help: SessionListWords.helpOpen,
                isHinted: false,
                obstacle: readObstacle, result: selectedName.map { .open(.session($0)) } ?? .none),
            Action(
                "next-urgent", [.character("!")], label: tr("needs action"), help: tr("go to the next session that needs action"),
                isHinted: model.overview.needsAction > 0, obstacle: model.overview.needsAction > 0 ? nil : SessionListWords.nothingUrgent,
                change: { $0.selectNextUrgent(in: model) }),
            Action(
                "inspect", [.character("i")], label: InspectorWords.key, help: InspectorWords.help, isHinted: false,
                obstacle: readObstacle, result: selectedName.map { .open(.inspector($0)) } ?? .none),
            Action(
                "sign-in", [.character("s")], label: CommonWords.keySignIn, help: tr("sign in with this account or at another provider"),
                isHinted: session.map { !model.state(of: $0).needsNewSignIn } ?? true, obstacle: signInObstacle,
                result: .open(.picker(.signIn, preferred: selectedName))),
            SessionAction.renew.row(for: session, missing: nothing, in: model),
            SessionAction.copyToken.row(for: session, missing: nothing, in: model),
            SessionAction.signOut.row(for: session, missing: nothing, in: model),
            Action(
                "begin-filter", [.character("/")], label: PickerWords.keyFilter, help: PickerWords.helpFilter,
                change: { $0.isFiltering = true }),
            Action(
                "sign-out-everywhere", [.character("O")], label: SignOutWords.keyEverywhere, help: SignOutWords.helpEverywhere,
                isHinted: false, obstacle: !model.hasSessions ? nothing : model.isLocked ? LockWords.lockedSignOut : nil,
                result: .open(.confirm(.signingOutEverywhere(model.sessions?.count ?? 0)))),
            SessionAction.forget.row(for: session, missing: nothing, isHinted: false, in: model),
            Action(
                "sign-up", [.character("u")], label: CommonWords.keySignUp, help: HomeWords.helpSignUp, isHinted: false,
                obstacle: signInObstacle, result: .open(.picker(.signUp, preferred: selectedName))),
            ActivityScreen.action(),
            Action(
                "timeline", [.character("T")], label: TimelineWords.key, help: TimelineWords.help,
                result: .open(.timeline(selectedName))),
            Action(
                "sort", [.character("z")], label: tr("sort"), help: tr("sort by name, time left, urgency or last use"), isHinted: false,
                run: { $0.sort(by: $0.order.next, in: model) }),
            Action(
                "group", [.character("p")], label: tr("group"), help: tr("group the sessions by provider, or ungroup them"),
                isHinted: false,
                run: { screen in
                    screen.isGrouped.toggle()
                    screen.match(in: model)
                    return .say(screen.isGrouped ? tr("grouped by provider") : SessionListWords.ungrouped)
                }),
            AddProviderScreen.action(isHinted: false, in: model),
            Action(
                "reload", [.character("R")], label: CommonWords.keyReload, help: HomeWords.helpReload, isHinted: false,
                result: .run(.reload)),
        ] + SessionAction.defaultChoice(of: selectedName, session, missing: nothing, in: model) + paneActions
            + Movement.actions(label: CommonWords.keyMove, isHinted: false) { $0.move($1, in: model) }
    }

    /// Returns the action of Enter: it signs in where only that helps, and opens the session everywhere else.
    private func enter(_ session: SessionSummary?, readObstacle: String?, signInObstacle: String?, in model: AppModel) -> Action {
        guard let session, model.state(of: session).needsNewSignIn else {
            return Action(
                "open", [.enter], label: SessionListWords.keyOpen, help: SessionListWords.helpOpen, obstacle: readObstacle,
                result: selectedName.map { .open(.session($0)) } ?? .none)
        }
        return Action(
            "open", [.enter], label: SessionWords.signInAgain, help: SessionWords.helpSignIn, obstacle: signInObstacle,
            result: .open(.signingIn(model.signInRequest(for: session.name))))
    }

    /// Selects the next row that needs the user; after the last one, the first.
    private mutating func selectNextUrgent(in model: AppModel) {
        guard let sessions = model.sessions else { return }
        let rows = matches.indices.filter { model.state(of: sessions[matches[$0]]).needsAction }
        if let next = rows.first(where: { $0 > selected }) ?? rows.first { choose(next, in: model) }
    }

    private func clear(in model: AppModel) -> Action {
        Action(
            "clear", [.escape], label: PickerWords.keyClear,
            change: { screen in
                screen.isFiltering = false
                // The filter found the selected row: it stays selected among all.
                screen.hasMoved = screen.hasMoved || !screen.filter.text.isEmpty
                screen.filter.clear()
                screen.match(in: model)
            })
    }

    private var paneActions: [Action] {
        let obstacle = pane == nil ? SessionDetailsPaneWords.needsLargerTerminal : nil
        let focus = Action(
            "focus-pane", [.tab], label: SessionDetailsPaneWords.keyDetails,
            help: tr("scroll the details of the session; Tab or Esc returns to the list"), isHinted: false,
            obstacle: obstacle, change: { $0.pane?.isFocused = true })
        return [focus] + SessionDetailsPane.Tab.actions(obstacle: obstacle) { $0.pane?.choose($1) }
    }

    /// Moves the page of the list so that the selected row is on it.
    private mutating func turnPage(in model: AppModel) {
        let lines = SessionListRows(self, in: model)
        let rows = layout(in: model, area: Frame.body(model.size)).listRows(hasFilter: isFiltering || !filter.isEmpty)
        top = ListWindow.page(from: top, count: lines.count, selected: lines.index(of: selected), rows: rows).lowerBound
    }

    private mutating func move(_ movement: Movement, in model: AppModel) {
        if pane?.isFocused == true {
            let area = layout(in: model, area: Frame.body(model.size)).pane
            pane?.move(movement, in: model, area: area)
        } else {
            choose(movement.from(selected, count: matches.count, page: max(1, model.size.rows - 8)), in: model)
        }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        // Every row shows its time left, so the screen ticks if any session has an expiry.
        ScreenTraits(
            takesText: isFiltering, selectedRow: selected, needsTicks: model.overview.countsDown, staysFirst: model.hasSessions,
            allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .loaded, .serviceReported(.sessionsChanged): match(in: model)
        default: break
        }
        return ScreenResult(commands: pane?.receive(message, in: model) ?? [])
    }

    /// Shows the selected session in the details, if there are some.
    mutating func commandsForShownContent(in model: AppModel) -> [Command] {
        if sorted != model.overview { match(in: model) }
        turnPage(in: model)
        guard SessionsLayout.panePlace(model) != nil, let name = selectedName else {
            pane = nil
            return []
        }
        guard pane != nil else {
            pane = SessionDetailsPane(name)
            return pane?.session.traits(in: model).openingCommands ?? []
        }
        return pane?.show(name, in: model) ?? []
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        switch element {
        case .row(let row): choose(row, in: model)
        case .session(let name):
            if let sessions = model.sessions, let row = matches.firstIndex(where: { sessions[$0].name == name }) { choose(row, in: model) }
        case .part(let part):
            guard let chip = SessionCounts.Chip(rawValue: part - Self.firstChip) else {
                return SessionsTable.order(ofColumn: part).map { sort(by: $0, in: model) } ?? .none
            }
            guard let state = chip.state else { return sort(by: .attention, in: model) }
            filter = TextFieldContent(Words.state(state), limit: Filter.limit)
            match(in: model)
        case .field: break
        }
        return .none
    }

    /// The number of the first count that can be clicked, above those of the column titles.
    static let firstChip = 100

    private mutating func sort(by order: SessionOrder, in model: AppModel) -> ScreenResult {
        self.order = order
        match(in: model)
        return .say(SessionListWords.sorted(order))
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        let before = filter.text
        filter.type(input)
        if filter.text != before { match(in: model) }
        return .none
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
        sorted = model.overview
        let isUrgentFirst = order == .attention && !isGrouped
        urgent = isUrgentFirst ? matches.prefix { model.state(of: sessions[$0]).needsAction }.count : 0
        ending = isUrgentFirst ? matches.dropFirst(urgent).prefix { sessions[$0].endsUnrenewed(model.state(of: sessions[$0])) }.count : 0
        let place = hasMoved ? selectedName.flatMap { name in matches.firstIndex { sessions[$0].name == name } } : 0
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

    /// Selects a row for the user.
    private mutating func choose(_ index: Int, in model: AppModel) {
        hasMoved = true
        select(index, in: model)
    }

    private mutating func select(_ index: Int, in model: AppModel) {
        // The same row is selected when there are sessions again.
        if !matches.isEmpty { selected = min(max(0, index), matches.count - 1) }
        selectedName = selection(in: model)?.name
    }

    static func home(in model: AppModel) -> SessionsScreen? { model.hasSessions ? SessionsScreen(in: model) : nil }
    static func examples(of session: SessionName, in model: AppModel) -> [SessionsScreen] { [SessionsScreen(in: model)] }
}
