/// Words that comments and documentation must not contain, and the words to use.
///
/// They make sentences hard to understand at first reading, or are private names for things with standard names.
enum PlainWords {
    /// The banned words, in lower case, and what to write instead.
    static let bannedInComments: [(word: String, use: String)] = [
        ("whoever", "name who it is: the user, the caller, the provider"), ("nobody", "say who does not, or use the passive voice"),
        ("somebody", "name who it is"), ("anybody", "name who it is: other users, any program"),
        ("comes to be", "is created"), ("what there is", "name the things"), ("the usual one", "the default"),
        ("the way back", "the callback, or the recovery"), ("way in", "sign-in method"), ("other ways in", "other sign-in methods"),
        ("the person", "the user"), ("a person", "a user"), ("hands out", "issues"), ("handed out", "issued"), ("hand out", "issue"),
        ("keeper", "session service"), ("as it should", "correctly"), ("did not work", "failed, and why"), ("stranger", "say who it is"),
        ("sees to it", "makes sure"), ("is gone through", "runs"), ("lets go of", "releases"), ("in the place of", "instead of"),
        ("stands there", "is there"), ("by turns", "alternately"), ("whatever", "regardless of, even if, any"),
    ]

    /// Returns the banned words in a text, as whole words.
    static func banned(in text: some StringProtocol) -> [String] {
        let lower = text.lowercased()
        return bannedInComments.map(\.word).filter { word in
            guard lower.holds(word) else { return false }
            return lower.ranges(of: word).contains { range in
                let before = range.lowerBound == lower.startIndex ? " " : lower[lower.index(before: range.lowerBound)]
                let after = range.upperBound == lower.endIndex ? " " : lower[range.upperBound]
                return !before.isLetter && !after.isLetter
            }
        }
    }
}
