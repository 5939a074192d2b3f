import TerminalAppModel
import TerminalUI

extension AppState {
    /// The maximum number of keys to keep before the first screen is ready; later keys are hardly meant for it.
    private static let earlyKeyLimit = 64

    /// Whether the first screen is unknown yet: the meaning of its keys depends on the providers and the sessions.
    private var isFirstScreenPending: Bool { opened.isEmpty && model.providers == nil && !model.hasLoadFailure }

    /// Keeps a key until the first screen is known; false for a key that means the same before and after.
    mutating func keepEarlyKey(_ key: Key) -> Bool {
        guard isFirstScreenPending, !GlobalAction.always.contains(key) else { return false }
        if earlyKeys.isEmpty {
            // Reports a key that cannot work here at once.
            if let screen = home.as(HomeScreen.self), case .unavailable = screen.keys(in: model).decide(key) { return false }
            guard globalKeys.decide(key) == .unbound else { return false }
        } else if key == .escape {
            earlyKeys = []
            return true
        }
        // A user who presses a key again because nothing happened wants it once.
        if earlyKeys != [key] || key.typed == nil, earlyKeys.count < Self.earlyKeyLimit { earlyKeys.append(key) }
        notice = Notice(HomeWords.waits(earlyKeys.map(\.label).joined(separator: " ")))
        return true
    }

    /// Presses the kept keys. They were meant for the first screen: if another screen covers it now, they are dropped.
    mutating func pressEarlyKeys() -> [Command] {
        guard !isFirstScreenPending, !earlyKeys.isEmpty else { return [] }
        let keys = earlyKeys
        earlyKeys = []
        guard opened.isEmpty, model.providers != nil else {
            notice = nil
            return []
        }
        return keys.flatMap { pressed($0) }
    }
}
