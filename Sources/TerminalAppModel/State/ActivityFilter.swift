package import AuthModel
import Localization
import TerminalUI

/// A filter of the activity by words, whose letters may be apart in the names of programs and events: `kctl` finds `kubectl`.
///
/// In sessions and details, which are longer, a word must occur as a whole, because its letters occur apart in most of them.
package struct ActivityFilter {
    private let words: [String]
    private var known: [String: Set<Int>] = [:]

    /// Creates a filter of the words of a text.
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
