extension HelpPage {
    /// The name of the page's file in the manual, such as `yett-status.1`.
    package var fileName: String { "\(manualName).\(section.rawValue)" }

    /// Returns the page for man(1), in macros of man(7) that both groff and mandoc support.
    ///
    /// - Parameter date: the date of the page, as YYYY-MM-DD.
    package func roff(version: String, date: String) -> String {
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
