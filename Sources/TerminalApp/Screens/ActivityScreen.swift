import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

/// The activity, including that from before the app started, the newest first.
struct ActivityScreen: FilteredScreen {
    /// The filter's text.
    var filter = TextFieldContent(limit: Filter.limit)
    /// Whether letters are typed into the filter.
    private(set) var isFiltering = false
    /// The indices into the model's activity that match the filter, the newest first.
    private(set) var matches: [Int] = []
    /// The index of the selected line in ``matches``.
    var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case open
        case beginFilter
        case endFilter
        case clear
        case back
    }

    init(in model: AppModel) { match(in: model) }

    /// Returns the entry on the selected line.
    func selection(in model: AppModel) -> Activity? {
        guard matches.indices.contains(selected), model.activity.indices.contains(matches[selected]) else { return nil }
        return model.activity[matches[selected]]
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        if isFiltering {
            return [
                KeyBinding(Key.enter, action: Action.endFilter, label: SessionsWords.keyEndFilter),
                KeyBinding(.escape, action: .clear, label: PickerWords.keyClear),
            ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false)
        }
        let clear = filter.isEmpty ? [] : [KeyBinding(Key.escape, action: Action.clear, label: PickerWords.keyClear)]
        return clear + [
            KeyBinding(Key.enter, .right, .character("l"), action: Action.open, label: ActivityWords.keyOpen),
            KeyBinding(.character("/"), action: .beginFilter, label: PickerWords.keyFilter, help: PickerWords.helpFilter),
            KeyBinding(.escape, .left, .character("h"), action: .back, label: CommonWords.keyBack, isHinted: filter.isEmpty),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .back, .clear, .endFilter: return nil
        case .move, .beginFilter: return model.activity.isEmpty ? ActivityWords.nothingYet : nil
        case .open:
            if model.activity.isEmpty { return ActivityWords.nothingYet }
            guard let name = selection(in: model)?.session, model.session(name) != nil else { return ActivityWords.noSession }
            return model.isLocked ? LockWords.locked : nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement): selected = movement.from(selected, count: matches.count, page: max(1, model.size.rows - 9))
        case .open: return selection(in: model)?.session.map { .open(.session($0)) } ?? .none
        case .beginFilter: isFiltering = true
        case .endFilter: isFiltering = false
        case .clear:
            isFiltering = false
            filter.clear()
            match(in: model)
        case .back: return .back
        }
        return .none
    }

    var takesText: Bool { isFiltering }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .serviceReported(.activity):
            match(in: model)
            // A new line at the top: the selection stays on its line, unless it is the first one.
            if selected > 0, matches.first == model.activity.indices.last { selected = min(selected + 1, max(0, matches.count - 1)) }
        case .activityLoaded: match(in: model)
        default: break
        }
        return .none
    }

    /// Relative times such as "3 min ago" change by themselves.
    func needsTicks(in model: AppModel) -> Bool { !model.activity.isEmpty }

    mutating func match(in model: AppModel) {
        let wanted = Filter(filter.text)
        matches = model.activity.indices.reversed().filter { index in
            let entry = model.activity[index]
            return wanted.fits(Words.activity(entry.kind), entry.session?.description ?? "", entry.message.text())
        }
        selected = min(selected, max(0, matches.count - 1))
    }

    static func examples(of session: SessionName, in model: AppModel) -> [ActivityScreen] { [ActivityScreen(in: model)] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        [PaletteScreen.Entry(title: SessionsWords.helpActivity, effect: .open(.activity))]
    }
}

extension ActivityScreen {
    /// Opens the activity.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> ActivityScreen { ActivityScreen(in: context.model) }
    }
}

extension Destination {
    static let activity = Destination(ActivityScreen.Request())
}
