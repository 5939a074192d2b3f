package import AuthModel
import Localization
import TerminalUI

/// Entries in a row that differ in their time only, each at most an hour after the one before, as one line of a list. Sessions that renew in
/// turns have a line each.
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
    /// The most sessions that renew in turns.
    private static let mostRenewing = 16

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
            if let index = line(of: entry, in: lines) {
                lines[index].oldest = entry
                lines[index].count += entry.count
                lines[index].entries += 1
            } else {
                lines.append(FoldedActivity(entry))
            }
        }
        return lines
    }

    private static func line(of entry: Activity, in lines: [FoldedActivity]) -> Int? {
        for index in lines.indices.suffix(mostRenewing).reversed() {
            let oldest = lines[index].oldest
            if entry.repeats(oldest), oldest.at - entry.at <= longestGap { return index }
            guard entry.kind == .renewed, oldest.kind == .renewed else { return nil }
        }
        return nil
    }

    /// Returns the newest lines, the newest first.
    ///
    /// - Parameter entries: the newest last.
    static func newest(_ entries: [Activity], limit: Int) -> [FoldedActivity] {
        // Reads only as many entries as the lines may need, unless many of them repeat.
        var count = 8 * max(1, limit)
        while true {
            let lines = folded(entries.suffix(count).reversed())
            // Older renewals may be folded into one of the last lines.
            if lines.count >= limit + mostRenewing || count >= entries.count { return Array(lines.prefix(limit)) }
            count *= 8
        }
    }

    /// Returns how often it happened, with a space after it; empty for once.
    func times(_ glyphs: GlyphSet) -> String { count > 1 ? "\(glyphs == .ascii ? "x" : "×")\(count)  " : "" }
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

/// A filter of the activity by words, whose letters may be apart in the names of programs and events: `kctl` finds `kubectl`.
///
/// In sessions and details, which are longer, a word must occur as a whole, because its letters occur apart in most of them.
package struct ActivityFilter {
    private let words: [String]
    private var known: [String: Set<Int>] = [:]

    package init(_ text: String) { words = text.split(separator: " ").map(String.init) }

    /// Returns whether an entry matches.
    package mutating func fits(_ entry: Activity) -> Bool {
        guard !words.isEmpty else { return true }
        var found = matches(in: ActivityWords.event(entry))
        if let program = CallingProgram(of: entry) { found.formUnion(matches(in: program.name)) }
        return fits(found, entry.session?.description ?? "", entry.message.text())
    }

    /// Returns whether a program matches: by its name or its sessions.
    package mutating func fits(_ use: ProgramUse) -> Bool {
        guard !words.isEmpty else { return true }
        let sessions = use.sessions.map(\.description).joined(separator: " ")
        return fits(matches(in: use.program.name), sessions)
    }

    /// Returns whether each word is one of `found` or occurs in one of the texts.
    private func fits(_ found: Set<Int>, _ texts: String...) -> Bool {
        words.indices.allSatisfy { found.contains($0) || Filter(words[$0]).fits(more: texts) }
    }

    /// Returns the indices of the words that match a name. The activity has few different names, so each is matched once.
    private mutating func matches(in name: String) -> Set<Int> {
        if let matches = known[name] { return matches }
        let matches = Set(words.indices.filter { FuzzyMatch(words[$0], in: name) != nil })
        known[name] = matches
        return matches
    }
}
