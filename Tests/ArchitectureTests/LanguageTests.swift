import Testing

/// The language of comments and documentation: plain modern English with the field's standard terms.
struct LanguageTests {
    @Test func commentsAreInPlainWords() {
        var found: [String] = []
        for file in SourceTree.sources + SourceTree.tests where !file.path.hasSuffix("/PlainWords.swift") {
            for (index, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("//") else { continue }
                found += PlainWords.banned(in: text).map { "\(file.path):\(index + 1): \($0)" }
            }
        }
        #expect(found == [], "PlainWords.swift says what to write instead")
    }

    @Test func pagesAreInPlainWords() {
        let pages = ["README.md"] + ["Sources", ".github"].flatMap { SourceTree.files(in: $0, endingIn: [".md"]) }
        var found: [String] = []
        for page in pages {
            var isCode = false
            for (index, line) in SourceTree.text(page).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                // Names of tests and messages are quoted in backticks.
                let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
                guard !isCode else { continue }
                found += PlainWords.banned(in: prose.map(\.element).joined(separator: " ")).map { "\(page):\(index + 1): \($0)" }
            }
        }
        #expect(found == [], "PlainWords.swift says what to write instead")
    }

    /// Every `public` declaration has a doc comment, except members that a protocol of the standard library or of a package requires.
    @Test func publicDeclarationsAreDocumented() throws {
        let declaration = try Regex(
            #"^\s*(@\w+(\([^)]*\))? )*public (static |final |indirect |mutating |nonisolated |convenience )*(struct|class|enum|actor|protocol|func|var|let|init|typealias|subscript)\b"#
        )
        let required = try Regex(
            #"(func hash\(into|static func (==|<)|var (description|debugDescription|hashValue|id|rawValue)\b|init\((stringLiteral|integerLiteral|booleanLiteral|arrayLiteral|dictionaryLiteral|stringInterpolation|rawValue)|typealias (RawValue|ID|Element|Iterator|Body)\b)"#
        )
        var missing: [String] = []
        for file in SourceTree.sources {
            let lines = file.lines
            for (index, line) in lines.enumerated() where line.contains(declaration) && !line.contains(required) {
                var above = index - 1
                while above >= 0, ["@", "name:", "help:"].contains(where: lines[above].drop(while: { $0 == " " }).hasPrefix) { above -= 1 }
                let before = above < 0 ? "" : lines[above].drop { $0 == " " }
                if !before.hasPrefix("///") { missing.append("\(file.path):\(index + 1):\(line)") }
            }
        }
        #expect(missing == [])
    }

    @Test(arguments: [
        ("// Whoever asks gets it.", ["whoever"]), ("// The keepers are many.", []), ("// A person's way in.", ["way in", "a person"]),
        ("// Whatever it answers, this ends.", ["whatever"]),
    ])
    func findsBannedWords(line: String, words: [String]) {
        #expect(PlainWords.banned(in: line) == words)
    }
}
