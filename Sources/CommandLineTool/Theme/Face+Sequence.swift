internal import TerminalUI

extension Face {
    /// The ECMA-48 SGR sequence, with ISO 8613-6 colours, that a row written by a command needs; empty for a plain face.
    var sequence: String {
        var parameters: [String] = []
        for (attribute, code) in [(Attributes.bold, "1"), (.dim, "2"), (.underline, "4"), (.reverse, "7")]
        where attributes.contains(attribute) {
            parameters.append(code)
        }
        for (value, selector) in [(foreground, "38"), (background, "48")] {
            switch value {
            case .direct(let color): parameters.append("\(selector);2;\(color.red);\(color.green);\(color.blue)")
            case .indexed(let index): parameters.append("\(selector);5;\(index)")
            case nil: break
            }
        }
        return parameters.isEmpty ? "" : "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
}
