import TerminalUI

extension HelpPage {
    /// Returns the page as lines for a terminal.
    ///
    /// - Parameter width: the maximum width of a line, in cells; text that cannot be wrapped may be wider.
    package func text(width: Int) -> [String] {
        var lines = Self.wrapped("\(name): \(summary)", indent: 0, width: width)
        for block in blocks {
            switch block {
            case .heading(let text): lines += ["", Self.title(text)]
            case .paragraph(let text): lines += [""] + Self.wrapped(text, indent: 2, width: width)
            case .code(let code): lines += [""] + code.map { $0.isEmpty ? "" : "    " + $0 }
            case .terms(let terms): lines += [""] + Self.table(terms, width: width)
            }
        }
        return lines
    }

    /// Returns a heading in capitals; a table name of the configuration stays as it must be written.
    package static func title(_ heading: String) -> String { heading.hasPrefix("[") ? heading : heading.uppercased() }

    /// Lays out terms in their own column. A term that is too long for the column has its meaning on the next line.
    private static func table(_ terms: [Term], width: Int) -> [String] {
        let column = min(terms.map { SafeText.width(of: $0.word) }.max() ?? 0, 26)
        let indent = column + 4
        return terms.flatMap { term in
            var meaning = wrapped(term.meaning, indent: indent, width: width)
            let word = "  " + term.word
            let gap = indent - SafeText.width(of: word)
            guard gap >= 2, let first = meaning.first else { return [word] + meaning }
            meaning[0] = word + String(repeating: " ", count: gap) + first.dropFirst(indent)
            return meaning
        }
    }

    private static func wrapped(_ text: String, indent: Int, width: Int) -> [String] {
        let space = max(width - indent, 20)
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty, SafeText.width(of: line) + 1 + SafeText.width(of: String(word)) > space {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map { String(repeating: " ", count: indent) + $0 }
    }
}
