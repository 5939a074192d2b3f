internal import TerminalUI

/// A help page as structured content; the source of both `yett help` (``text(width:)``) and the man pages (``roff(version:date:)``).
struct HelpPage: Equatable, Sendable {
    /// The section of the manual (man-pages(7)).
    enum Section: Int, Sendable {
        case commands = 1
        case files = 5
        case overviews = 7
    }

    enum Block: Equatable, Sendable {
        case heading(String)
        case paragraph(String)
        /// Terms, each with its meaning.
        case terms([Term])
        /// Lines shown verbatim.
        case code([String])
    }

    struct Term: Equatable, Sendable {
        var word: String
        var meaning: String

        init(_ word: String, _ meaning: String) {
            self.word = word
            self.meaning = meaning
        }
    }

    /// The name for `yett help`, such as `configuration` or `providers add`.
    var name: String
    var section: Section
    /// The summary: a clause without a full stop.
    var summary: String
    var blocks: [Block]

    /// Creates a page.
    ///
    /// - Parameter examples: what a user can copy, each with what it does: a command line, or lines of a file. They come last.
    init(name: String, section: Section, summary: String, blocks: [Block], examples: KeyValuePairs<String, String>) {
        self.name = name
        self.section = section
        self.summary = summary
        self.blocks = blocks
        guard !examples.isEmpty else { return }
        self.blocks.append(.heading(Self.examplesHeading))
        for (text, meaning) in examples {
            self.blocks += [.paragraph(meaning), .code(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))]
        }
    }

    /// The heading above the examples.
    static let examplesHeading = "Examples"

    /// The name in the manual, such as `yett-providers-add`.
    var manualName: String {
        name == "yett" ? name : "yett-" + name.replacing(" ", with: "-")
    }
}

extension HelpPage {
    /// Returns the page as lines.
    ///
    /// - Parameter width: the maximum width of a line, in cells; text that cannot be wrapped may be wider.
    func text(width: Int) -> [String] { rows(width: width, isSpaced: true).map(\.text) }

    /// Returns the page for a terminal, with the roles of headings, terms and what a user can copy. Its width is limited to 100 columns,
    /// because longer lines are hard to read.
    func rows(on display: Display) -> [StyledText] { rows(width: min(max(display.columns, 40), 100), isSpaced: false) }

    /// - Parameter isSpaced: whether an empty line follows a heading, and each list has a column of its own.
    private func rows(width: Int, isSpaced: Bool) -> [StyledText] {
        let lists = blocks.compactMap { block -> [Term]? in if case .terms(let terms) = block { terms } else { nil } }
        let column = Self.column(of: lists.flatMap(\.self))
        var rows = (StyledText(name, .title) + StyledText(": \(summary)")).folded(to: width)
        var isBelowHeading = false
        for block in blocks {
            if isSpaced || !isBelowHeading { rows.append("") }
            isBelowHeading = false
            switch block {
            case .heading(let text):
                rows.append(StyledText(Self.title(text), .title))
                isBelowHeading = true
            case .paragraph(let text): rows += Self.wrapped(text, indent: 2, width: width).map { StyledText($0) }
            case .code(let code): rows += code.flatMap { Self.copyable($0, width: isSpaced ? .max : width) }
            case .terms(let terms): rows += Self.table(terms, column: isSpaced ? Self.column(of: terms) : column, width: width)
            }
        }
        return rows
    }

    /// Returns a line to copy. A command that is wider than a terminal continues on the next line, after a backslash.
    private static func copyable(_ line: String, width: Int) -> [StyledText] {
        let indent = "    "
        guard line.hasPrefix("yett "), SafeText.width(of: indent + line) > width else {
            return [line.isEmpty ? "" : StyledText(indent + line, .key)]
        }
        var rows: [String] = []
        var row = indent
        var isQuoted = false
        for (index, part) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let word = String(part)
            let longer = index == 0 ? row + word : row + " " + word
            // The backslash and the space before it need two columns.
            if index > 0, !isQuoted, SafeText.width(of: longer) + 2 > width {
                rows.append(row + " \\")
                row = indent + "  " + word
            } else {
                row = longer
            }
            let quotes = word.count { $0 == "\"" || $0 == "'" }
            if quotes % 2 == 1 { isQuoted.toggle() }
        }
        return (rows + [row]).map { StyledText($0, .key) }
    }

    /// Returns a heading in capitals; a table name of the configuration stays as it must be written.
    static func title(_ heading: String) -> String { heading.hasPrefix("[") ? heading : heading.uppercased() }

    private static func column(of terms: [Term]) -> Int { min(terms.map { SafeText.width(of: $0.word) }.max() ?? 0, 26) }

    /// Lays out terms in their own column. A term that is too long for the column has its meaning on the next line.
    private static func table(_ terms: [Term], column: Int, width: Int) -> [StyledText] {
        let indent = column + 4
        return terms.flatMap { term in
            var meaning = wrapped(term.meaning, indent: indent, width: width).map { StyledText($0) }
            let word = StyledText("  " + term.word, .key)
            guard indent - word.width >= 2, let first = meaning.first else { return [word] + meaning }
            meaning[0] = word.padded(to: indent) + StyledText(String(first.text.dropFirst(indent)))
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

extension HelpPage {
    /// The name of the page's file in the manual, such as `yett-status.1`.
    var fileName: String { "\(manualName).\(section.rawValue)" }

    /// Returns the page for man(1), in macros of man(7) that both groff and mandoc support.
    ///
    /// - Parameter date: the date of the page, as YYYY-MM-DD.
    func roff(version: String, date: String) -> String {
        var lines = [
            ".TH \(Self.quoted(manualName.uppercased())) \(section.rawValue) \"\(date)\" \(Self.quoted("yett \(version)")) \"Yett\"",
            ".SH NAME",
            "\(Self.escaped(manualName)) \\- \(Self.escaped(summary))",
        ]
        for block in blocks {
            switch block {
            case .heading(let text): lines.append(".SH \(Self.quoted(Self.title(text)))")
            case .paragraph(let text): lines += [".PP", Self.line(text)]
            case .code(let code): lines += [".PP", ".RS 4", ".nf"] + code.map(Self.line) + [".fi", ".RE"]
            case .terms(let terms):
                for term in terms { lines += [".TP", ".B \(Self.quoted(term.word))", Self.line(term.meaning)] }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns text as one input line, protected so that it is not read as a request.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    /// Returns text as a quoted macro argument.
    private static func quoted(_ text: String) -> String { "\"\(escaped(text).replacing("\"", with: "\\(dq"))\"" }

    /// Escapes text. Hyphens become minus signs, because a bare hyphen may be printed as a character that a shell does not accept.
    /// Characters outside ASCII are named, because not every reader supports UTF-8.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "\n": " "
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4))]"
            }
        }.joined()
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String { String(repeating: "0", count: max(0, count - self.count)) + self }
}
