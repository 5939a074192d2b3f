import Glibc

/// A Swift file of the source tree.
struct SourceFile: Sendable {
    /// The path from the root of the tree, such as `Sources/OAuth/PKCE/Verifier.swift`.
    let path: String
    let text: String
    /// The text without comments and string literals, with the same lines.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = Self.code(of: text)
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The target of the file: the folder below `Sources`, or `Themes`.
    var module: String {
        let parts = path.split(separator: "/")
        return String(parts[0] == "Sources" ? parts[1] : parts[0])
    }

    /// The imported modules, with their line numbers.
    var imports: [(module: String, line: Int)] {
        lines.enumerated().compactMap { index, line in
            Self.importedModule(line).map { ($0, index + 1) }
        }
    }

    /// Returns the module that a line imports; nil if the line is not an import.
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

    /// Removes comments and string literals. Parses only as much Swift as the tests need; `"""` begins and ends a multi-line literal.
    private static func code(of text: String) -> String {
        let bytes = Array(text.utf8)
        let (quote, backslash, slash, newline) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "\n"))
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var (index, isInString, isInLiteral, isInComment) = (0, false, false, false)
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : newline
            if byte == newline {
                kept.append(byte)
                (isInString, isInComment) = (false, false)
                index += 1
            } else if isInComment {
                index += 1
            } else if byte == quote, next == quote, index + 2 < bytes.count, bytes[index + 2] == quote {
                isInLiteral.toggle()
                index += 3
            } else if isInLiteral {
                index += 1
            } else if isInString && byte == backslash {
                index += next == newline ? 1 : 2
            } else if byte == quote {
                isInString.toggle()
                index += 1
            } else if !isInString && byte == slash && next == slash {
                isInComment = true
            } else {
                if !isInString { kept.append(byte) }
                index += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

extension String {
    /// Returns whether a word occurs, with the C library's search: the tests search the whole tree for dozens of words.
    func holds(_ word: String) -> Bool { withCString { text in word.withCString { strstr(text, $0) != nil } } }
}
