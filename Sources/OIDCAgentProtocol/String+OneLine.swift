internal import AuthModel

extension String {
    /// The text on one line, without characters that could control a terminal or change the order of others, and not longer than a limit
    /// in bytes.
    package func oneLine(limit: Int) -> String {
        var line = ""
        for scalar in prefix(bytes: limit).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: line += "?"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
