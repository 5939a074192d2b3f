/// A Swift file of the tree, as the house rules look at it.
struct SourceFile: Sendable {
    /// From the top of the tree: `Sources/OAuth/PKCE/Verifier.swift`.
    let path: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The target the file belongs to: the folder below `Sources`, or `Themes`.
    var room: String {
        let parts = path.split(separator: "/")
        return String(parts[0] == "Sources" ? parts[1] : parts[0])
    }

    /// The modules it imports, with the number of the line.
    var imports: [(module: String, line: Int)] {
        lines.enumerated().compactMap { index, line in
            Self.importedModule(line).map { ($0, index + 1) }
        }
    }

    /// The module that a line imports; nil for a line that is no import.
    static func importedModule(_ line: Substring) -> String? {
        let modifiers = ["public", "package", "internal", "private", "fileprivate"]
        let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
        while let word = words.first, word.hasPrefix("@") || modifiers.contains(String(word)) { words = words.dropFirst() }
        guard words.popFirst() == "import" else { return nil }
        if let word = words.first, kinds.contains(String(word)) { words = words.dropFirst() }
        guard let name = words.first else { return nil }
        return String(name.prefix { $0 != "." && $0 != ";" && $0 != "/" })
    }

    /// The code of each line: without comments and without what stands in string literals.
    ///
    /// It reads as much Swift as the house rules need; a `"""` opens and closes a literal of several lines.
    var code: [String] {
        var isInLiteral = false
        return lines.map { line in
            var kept = ""
            var isInString = false
            var rest = line
            while let character = rest.first {
                if rest.hasPrefix("\"\"\"") {
                    isInLiteral.toggle()
                    rest = rest.dropFirst(3)
                } else if isInLiteral {
                    rest = rest.dropFirst()
                } else if isInString && character == "\\" {
                    rest = rest.dropFirst(2)
                } else if character == "\"" {
                    isInString.toggle()
                    rest = rest.dropFirst()
                } else if !isInString && rest.hasPrefix("//") {
                    break
                } else {
                    if !isInString { kept.append(character) }
                    rest = rest.dropFirst()
                }
            }
            return kept
        }
    }
}
