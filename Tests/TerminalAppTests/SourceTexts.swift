import Foundation

/// The user-visible texts in a module's source: string literals of more than one word, with `{1}`, `{2}` … for interpolations.
enum SourceTexts {
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized

    /// Returns the texts of a module, each with its file.
    static func texts(of room: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        let enumerator = FileManager.default.enumerator(at: sources.appending(path: room), includingPropertiesForKeys: nil)
        while let file = enumerator?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for text in literals(in: Array(try String(contentsOf: file, encoding: .utf8))) where isText(text) {
                texts[text] = file.lastPathComponent
            }
        }
        return texts
    }

    /// Whether a text is more than one word, a number with its unit, or punctuation between values.
    private static func isText(_ text: String) -> Bool {
        text.trimmingCharacters(in: .whitespaces).contains(" ") && text.replacing(/\{[0-9]\}/, with: "").contains(/[A-Za-z]{2}/)
    }

    /// Returns the one-line literals outside of comments. Literals inside interpolations belong to the outer literal.
    private static func literals(in source: [Character]) -> [String] {
        var found: [String] = []
        var index = 0
        while index < source.count {
            if source[index...].starts(with: "//") {
                index = source[index...].firstIndex(where: \.isNewline) ?? source.count
            } else if source[index...].starts(with: "\"\"\"") {
                index += 3
                while index < source.count, !source[index...].starts(with: "\"\"\"") { index += 1 }
                index += 3
            } else if source[index] == "\"" {
                found.append(literal(in: source, at: &index))
            } else {
                index += 1
            }
        }
        return found
    }

    /// Returns the literal that begins at a quotation mark; `index` then points behind it.
    private static func literal(in source: [Character], at index: inout Int) -> String {
        var text = ""
        var gaps = 0
        index += 1
        while index < source.count, source[index] != "\"", !source[index].isNewline {
            guard source[index] == "\\" else {
                text.append(source[index])
                index += 1
                continue
            }
            index += 1
            if source[index] == "(" {
                skipParentheses(in: source, at: &index)
                gaps += 1
                text += "{\(gaps)}"
            } else {
                text.append(source[index] == "n" ? "\n" : source[index])
                index += 1
            }
        }
        index += 1
        return text
    }

    private static func skipParentheses(in source: [Character], at index: inout Int) {
        var depth = 0
        repeat {
            switch source[index] {
            case "\"":
                _ = literal(in: source, at: &index)
                continue
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            index += 1
        } while depth > 0 && index < source.count
    }
}
