package import AuthModel

/// Entries in a row that differ in their time only, each at most an hour after the one before, as one line of a list.
package struct FoldedActivity: Equatable, Sendable {
    /// The newest of the entries.
    package let newest: Activity
    /// The oldest of the entries.
    package private(set) var oldest: Activity
    /// How often it happened.
    package private(set) var count: Int
    /// The number of the folded entries, which are fewer if an entry counts repetitions.
    package private(set) var entries = 1

    private static let longestGap = Duration.seconds(3600)

    private init(_ entry: Activity) {
        newest = entry
        oldest = entry
        count = entry.count
    }

    /// Folds entries.
    ///
    /// - Parameter entries: the newest first.
    package static func folded(_ entries: some Sequence<Activity>) -> [FoldedActivity] {
        var lines: [FoldedActivity] = []
        for entry in entries {
            if let last = lines.last?.oldest, entry.repeats(last), last.at - entry.at <= longestGap {
                lines[lines.count - 1].oldest = entry
                lines[lines.count - 1].count += entry.count
                lines[lines.count - 1].entries += 1
            } else {
                lines.append(FoldedActivity(entry))
            }
        }
        return lines
    }
}

extension Activity {
    /// Whether the user cancelled a sign-in, which is recorded as a failed one.
    package var isCancelled: Bool { kind == .signInFailed && message.code == "sign_in.cancelled" }

    /// The scopes and the audience of an issued token; nil if the entry names none.
    package var restriction: UserMessage? {
        guard case .message(let note)? = message.arguments["restriction"] ?? message.arguments["terms"] else { return nil }
        return note
    }

    /// Returns whether a list shows both entries alike. The service and the log of the agent have different messages for an issued token.
    fileprivate func repeats(_ other: Activity) -> Bool {
        guard kind == other.kind, session == other.session else { return false }
        if message == other.message { return true }
        guard kind == .issued, let use = TokenUse(of: self) else { return false }
        return use == TokenUse(of: other) && restriction == other.restriction
    }
}
