import AuthModel
import TerminalAppModel
import TerminalUI

/// All sessions on a time axis.
struct TimelineScreen: Screen {
    /// The index of the selected session in the model.
    var selected = 0
    /// The visible time span, as an index into ``spans``.
    var zoom = 1

    /// The selectable time spans; a quarter of each is past.
    static let spans: [Duration] = [.seconds(20 * 60), .seconds(2 * 3600), .seconds(8 * 3600), .seconds(2 * 86_400), .seconds(14 * 86_400)]

    enum Action: Hashable, Sendable {
        case move(Movement)
        case open
        case zoomIn
        case zoomOut
        case back
    }

    init(marked: SessionName?, in model: AppModel) {
        selected = model.sessions?.firstIndex { $0.name == marked } ?? 0
        zoom = Self.zoom(for: model.sessions ?? [], now: model.now)
    }

    /// Returns the shortest span in which all access tokens' expiry times are visible; two hours if none has one.
    static func zoom(for sessions: some Sequence<SessionSummary>, now: Timestamp) -> Int {
        let longest = sessions.lazy.compactMap { $0.accessExpiresAt.map { $0 - now } }.max()
        guard let longest, longest > .zero else { return 1 }
        return spans.firstIndex { $0 * 3 / 4 >= longest } ?? spans.count - 1
    }

    var span: Duration { Self.spans[min(max(0, zoom), Self.spans.count - 1)] }

    func selection(in model: AppModel) -> SessionSummary? {
        guard let sessions = model.sessions, sessions.indices.contains(selected) else { return nil }
        return sessions[selected]
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, action: Action.open, label: SessionsWords.keyOpen, help: SessionsWords.helpOpen),
            KeyBinding(.character("+"), .character("="), action: .zoomIn, label: TimelineWords.keyZoomIn, help: TimelineWords.helpZoomIn),
            KeyBinding(.character("-"), action: .zoomOut, label: TimelineWords.keyZoomOut, help: TimelineWords.helpZoomOut),
            KeyBinding(.escape, .left, .character("h"), action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .back: nil
        case .move: model.sessions?.isEmpty == false ? nil : SessionsWords.nothingMarked
        case .open: selection(in: model) == nil ? SessionsWords.nothingMarked : model.isLocked ? LockWords.locked : nil
        case .zoomIn: zoom > 0 ? nil : TimelineWords.closest
        case .zoomOut: zoom < Self.spans.count - 1 ? nil : TimelineWords.widest
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: model.sessions?.count ?? 0, page: max(1, model.size.rows - 8))
        case .open: return selection(in: model).map { .open(.session($0.name)) } ?? .none
        case .zoomIn: zoom -= 1
        case .zoomOut: zoom += 1
        case .back: return .back
        }
        return .none
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        selected = min(selected, max(0, (model.sessions?.count ?? 0) - 1))
        return .none
    }

    /// The time axis moves with the clock.
    func needsTicks(in model: AppModel) -> Bool { model.sessions?.isEmpty == false }

    static func examples(of session: SessionName, in model: AppModel) -> [TimelineScreen] { [TimelineScreen(marked: nil, in: model)] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.hasSessions ? nil : SessionsWords.nothingMarked
        return [PaletteScreen.Entry(title: TimelineWords.help, obstacle: obstacle, effect: .open(.timeline(nil)))]
    }
}

extension TimelineScreen {
    /// Opens the timeline.
    struct Request: ScreenRequest {
        var marked: SessionName?

        func screen(in context: inout OpeningContext) -> TimelineScreen { TimelineScreen(marked: marked, in: context.model) }
    }
}

extension Destination {
    /// - Parameter marked: the session that is selected first.
    static func timeline(_ marked: SessionName?) -> Destination { Destination(TimelineScreen.Request(marked: marked)) }
}
