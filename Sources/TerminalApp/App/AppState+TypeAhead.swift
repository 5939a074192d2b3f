import TerminalUI

extension AppState {
    /// As many keys as somebody types before the first screen stands; what comes then is not meant for it any more.
    private static let typeAheadLimit = 64

    /// Whether the first screen is not known yet: what a key means there depends on the providers and the sessions.
    private var awaitsFirstScreen: Bool { opened.isEmpty && model.providers == nil && !model.couldNotRead }

    /// Keeps a key until the first screen is known; `false` for a key that means the same before and after.
    mutating func keepForFirstScreen(_ key: Key) -> Bool {
        guard awaitsFirstScreen, !GlobalAction.always.contains(key) else { return false }
        if typedAhead.isEmpty {
            // What cannot work here at all is said at once.
            if case .home(let screen) = home, case .unavailable = screen.keys(in: model).decide(key) { return false }
            guard globalKeys.decide(key) == .unbound else { return false }
        } else if key == .escape {
            typedAhead = []
            return true
        }
        // Whoever presses a key again because nothing happened wants it once.
        if typedAhead != [key] || key.typed == nil, typedAhead.count < Self.typeAheadLimit { typedAhead.append(key) }
        notice = Notice(HomeWords.waits(typedAhead.map(\.label).joined(separator: " ")))
        return true
    }

    /// Presses the keys that were kept. They were meant for the first screen: where another stands on it by now, they are forgotten.
    mutating func pressTypedAhead() -> [Command] {
        guard !awaitsFirstScreen, !typedAhead.isEmpty else { return [] }
        let keys = typedAhead
        typedAhead = []
        guard opened.isEmpty, model.providers != nil else {
            notice = nil
            return []
        }
        return keys.flatMap { pressed($0) }
    }
}
