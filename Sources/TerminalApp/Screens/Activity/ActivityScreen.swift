import AuthModel
import Localization
import TerminalUI

/// The activity, including that from before the app started: which programs used tokens, or every entry, the newest first.
struct ActivityScreen: FilteredScreen {
    /// The order of the list.
    enum View: Int, CaseIterable, Equatable, Sendable {
        /// One line for each program, the last used first.
        case programs
        /// One line for each entry, with repeated entries in one line.
        case time

        var title: String { self == .programs ? tr("By program") : tr("By time") }
    }

    /// The only program whose entries are shown; nil for the whole activity.
    let program: CallingProgram?
    private(set) var view = View.time
    /// The filter's text.
    var filter = TextFieldContent(limit: Filter.limit)
    /// Whether letters are typed into the filter.
    private(set) var isFiltering = false
    /// The programs that match the filter.
    private(set) var programs: [ProgramUse] = []
    /// The entries that match the filter.
    private(set) var lines: [FoldedActivity] = []
    /// The number of programs or entries that match the filter.
    private(set) var found = 0
    /// The number of programs or entries without the filter.
    private(set) var all = 0
    /// The index of the selected line.
    var selected = 0
    /// The block of a program that is being written.
    private var saving: SettingChange?
    /// The block that could not be written, which the problem screen may write again.
    private var failed: SettingChange?

    init(in model: AppModel, of program: CallingProgram? = nil) {
        self.program = program
        if program == nil, model.activity.contains(where: { CallingProgram(of: $0) != nil }) { view = .programs }
        match(in: model)
    }

    /// The number of lines of the list.
    var count: Int { view == .programs ? programs.count : lines.count }

    /// The program on the selected line.
    var selectedProgram: ProgramUse? { view == .programs && programs.indices.contains(selected) ? programs[selected] : nil }

    /// The entry on the selected line, the newest of repeated ones.
    var selectedLine: FoldedActivity? { view == .time && lines.indices.contains(selected) ? lines[selected] : nil }

    func actions(in model: AppModel) -> [Action] {
        let nothing = model.activity.isEmpty ? ActivityWords.nothingYet : nil
        let clear = Action(
            "clear", [.escape], label: PickerWords.keyClear,
            change: { screen in
                screen.isFiltering = false
                screen.filter.clear()
                screen.match(in: model)
            })
        let moves = Movement.actions(label: CommonWords.keyMove, lettersMove: !isFiltering, obstacle: nothing) {
            (screen: inout Self, movement) in
            screen.selected = movement.from(screen.selected, count: screen.count, page: max(1, model.size.rows - 11))
        }
        guard !isFiltering else {
            return [Action("end-filter", [.enter], label: SessionListWords.keyEndFilter, change: { $0.isFiltering = false }), clear] + moves
        }
        let switchView = Action(
            "switch-view", [.character("p"), .tab], label: view == .time ? tr("by program") : tr("by time"),
            help: tr("switch between the activity by program and by time"), obstacle: nothing,
            change: { $0.show($0.view == .time ? .programs : .time, in: model) })
        let numbers: [Action] = View.allCases.map { view in
            Action(
                view == .programs ? "by-program" : "by-time", [NumberedTitles.key(view.rawValue)],
                label: tr("show the activity: {1}", view.title), isHinted: false, obstacle: nothing, change: { $0.show(view, in: model) })
        }
        let views = program == nil ? [switchView] + numbers : []
        let isBlocked = blockable?.file.map(model.isBlocked) ?? false
        let block = Action(
            "block", [.character("b")], label: isBlocked ? tr("allow") : tr("block"),
            help: tr("block a program, so that it gets no token, or allow it again"),
            obstacle: blockObstacle(in: model),
            run: { screen in
                guard let path = screen.blockable?.file else { return .none }
                let change = SettingChange(.blockedProgram(path), .flag(!isBlocked))
                screen.saving = change
                return .run(.saveSetting(change))
            })
        return (filter.isEmpty ? [] : [clear]) + [
            Action(
                "open", [.enter, .right, .character("l")], label: view == .programs ? tr("show use") : tr("open session"),
                obstacle: openObstacle(in: model),
                result: selectedProgram.map { .open(.activity(of: $0.program)) }
                    ?? selectedLine?.newest.session.map { .open(.session($0)) } ?? .none)
        ] + views + (program != nil || view == .programs ? [block] : []) + [
            Action(
                "begin-filter", [.character("/")], label: PickerWords.keyFilter, help: PickerWords.helpFilter, obstacle: nothing,
                change: { $0.isFiltering = true }),
            Action(
                "back", [.escape, .left, .character("h")], label: CommonWords.keyBack, isHinted: filter.isEmpty, result: .back),
        ] + moves
    }

    private mutating func show(_ view: View, in model: AppModel) {
        guard view != self.view else { return }
        self.view = view
        selected = 0
        match(in: model)
    }

    /// The titles of both orders.
    var titles: NumberedTitles { NumberedTitles(names: View.allCases.map(\.title), selected: view.rawValue) }

    private func openObstacle(in model: AppModel) -> String? {
        if view == .programs { return selectedProgram == nil ? ActivityWords.noProgram : nil }
        if model.activity.isEmpty { return ActivityWords.nothingYet }
        guard let name = selectedLine?.newest.session, model.session(name) != nil else { return tr("this entry has no session to open") }
        return model.lockObstacle
    }

    private func blockObstacle(in model: AppModel) -> String? {
        if saving != nil { return SettingsWords.isSaving }
        guard let program = blockable else { return ActivityWords.noProgram }
        return program.file == nil ? ActivityWords.noPathToBlock : model.settings == nil ? SettingsWords.cannotChange : nil
    }

    /// Returns the action that opens the activity from another screen.
    static func action<Target>(isHinted: Bool = true) -> ScreenAction<Target> {
        ScreenAction(
            "activity", [.character("a")], label: SessionListWords.keyActivity, help: SessionListWords.helpActivity, isHinted: isHinted,
            result: .open(.activity))
    }

    func traits(in model: AppModel) -> ScreenTraits {
        // Relative times such as "3 min ago" change by themselves.
        ScreenTraits(takesText: isFiltering, selectedRow: selected, needsTicks: !model.activity.isEmpty)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .serviceReported(.activity), .activityLoaded: update(in: model)
        case .settingSaved(let id, let failure) where id == (saving ?? failed)?.id: return saved(failure)
        default: break
        }
        return .none
    }

    /// The program that can be blocked here: the shown one, or the selected one.
    private var blockable: CallingProgram? { program ?? selectedProgram?.program }

    /// Tells whether the block is written, and reads the settings again.
    private mutating func saved(_ failure: AuthFailure?) -> ScreenResult {
        guard let change = saving ?? failed, case .blockedProgram(let path) = change.id else { return .none }
        saving = nil
        failed = failure.map { _ in change }
        if let failure {
            return .open(.problem(Problem(tr("Block a program"), failure, retry: .run([.saveSetting(change)]))))
        }
        let name = CallingProgram(path: path).name
        let words = change.value == .flag(true) ? ActivityWords.isBlocked(name) : tr("{1} may get tokens again", name)
        return ScreenResult(commands: [.reload], notice: Notice(words, .good))
    }

    /// Matches again. The selection stays on its line, unless it is the first one.
    private mutating func update(in model: AppModel) {
        let (program, line) = (selectedProgram?.program, selectedLine?.oldest)
        match(in: model)
        guard selected > 0 else { return }
        let index = view == .programs ? programs.firstIndex { $0.program == program } : lines.firstIndex { $0.oldest == line }
        selected = index ?? selected
    }

    mutating func match(in model: AppModel) {
        let entries = model.activity.reversed().filter { program == nil || CallingProgram(of: $0) == program }
        var filter = ActivityFilter(filter.text)
        switch view {
        case .programs:
            let uses = ProgramUse.grouped(entries)
            programs = uses.filter { filter.fits($0) }
            lines = []
            (found, all) = (programs.count, uses.count)
        case .time:
            let matching = entries.filter { filter.fits($0) }
            lines = FoldedActivity.folded(matching)
            programs = []
            (found, all) = (matching.count, entries.count)
        }
        selected = min(selected, max(0, count - 1))
    }

    static func examples(of session: SessionName, in model: AppModel) -> [ActivityScreen] { [ActivityScreen(in: model)] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        [
            PaletteScreen.Entry(
                title: SessionListWords.helpActivity, verb: PaletteWords.name(of: "activity", label: SessionListWords.keyActivity),
                label: SessionListWords.keyActivity, effect: .open(.activity))
        ]
    }
}

extension ActivityScreen {
    /// Opens the activity of all programs, or of one.
    struct Request: ScreenRequest {
        var program: CallingProgram?

        func screen(in context: inout OpeningContext) -> ActivityScreen { ActivityScreen(in: context.model, of: program) }
    }
}

extension Destination {
    static let activity = Destination(ActivityScreen.Request())

    static func activity(of program: CallingProgram) -> Destination { Destination(ActivityScreen.Request(program: program)) }
}

extension Activity {
    /// The event in words, with programs by their names; empty if the name of the kind says it.
    ///
    /// For an issued token the event says it all but the program and the scope.
    var details: String {
        // The kind says the rest.
        if message.code == "sign_in.done", case .text(let host)? = message.arguments["host"] { return tr("at {1}", host) }
        guard kind == .issued, let use = TokenUse(of: self) else { return short(message.withProgramNames) }
        return ActivityWords.use(use) + (restriction?.text() ?? "")
    }

    /// The event in words, with the whole paths of programs; empty if the name of the kind says it.
    var fullDetails: String { short(message) }

    private func short(_ message: UserMessage) -> String {
        let text = message.text()
        return text == Words.activity(kind) || isCancelled ? "" : text
    }

    /// The style of the event.
    var role: Role { isCancelled ? .muted : kind.role }
}

extension Activity.Kind {
    /// The style of a log line.
    var role: Role {
        switch self {
        case .signedIn, .renewed: .success
        case .signInFailed, .renewalFailed: .danger
        case .tokenRefused, .consentedByCaller, .sealChanged: .warning
        case .issued, .consented: .info
        case .signedOut: .muted
        }
    }
}
