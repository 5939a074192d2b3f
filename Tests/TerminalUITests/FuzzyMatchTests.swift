import Testing

@testable import TerminalUI

@Suite struct FuzzyMatchTests {
    @Test(arguments: [
        ("sgout", "sign out", [0, 2, 5, 6, 7]), ("out", "sign out", [5, 6, 7]), ("SIGN", "sign out", [0, 1, 2, 3]),
        ("out sign", "sign out", [0, 1, 2, 3, 5, 6, 7]), ("é", "café É", [5]), ("", "x", []), ("wa", "work/ada", [0, 5]),
    ])
    func findsTheLettersInOrder(pattern: String, text: String, positions: [Int]) {
        #expect(FuzzyMatch(pattern, in: text)?.positions == positions)
        // For a list, each word is looked for.
        for word in pattern.lowercased().split(separator: " ") { #expect(FuzzyMatch.mayMatch(Array(word.utf8), text)) }
    }

    @Test(arguments: [("tuo", "sign out"), ("signs", "sign out"), ("x", ""), ("sign nx", "sign out")])
    func letterThatIsMissingMatchesNothing(pattern: String, text: String) {
        #expect(FuzzyMatch(pattern, in: text) == nil)
    }

    /// Letters in a row, and at the beginnings of words, are what people mean.
    @Test(arguments: [("so", "sign out", "case two"), ("ren", "renew", "rare pen"), ("th", "switch theme", "at home")])
    func betterMatchHasTheHigherScore(pattern: String, one: String, other: String) throws {
        let scores = try [one, other].map { try #require(FuzzyMatch(pattern, in: $0)?.score) }
        #expect(scores[0] > scores[1])
    }
}
