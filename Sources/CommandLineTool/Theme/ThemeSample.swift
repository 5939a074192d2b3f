internal import TerminalUI

/// A preview of a theme: each role and surface with its colours, shown in these colours if the terminal supports them.
struct ThemeSample {
    let theme: Theme
    let depth: ColorDepth

    /// The lines: the text of each, and the escape sequence that styles it.
    var lines: [(text: String, dress: String)] {
        [("\(theme.name): \(theme.summary)", "")]
            + Role.allCases.map { role in
                line("role", role.rawValue, theme[role], Style(role))
            }
            + Surface.allCases.map { surface in
                line("surface", surface.rawValue, theme[surface], Style(.text, on: surface))
            }
    }

    private func line(_ kind: String, _ name: String, _ entry: Theme.Entry, _ style: Style) -> (text: String, dress: String) {
        let color = entry.color.map { Self.hex($0.trueColor) } ?? "default"
        let text = "  " + kind.padded(to: 8) + name.padded(to: 14) + color.padded(to: 9) + entry.attributes.names.joined(separator: " ")
        return (text, dress(theme.face(for: style, depth: depth)))
    }

    private static func hex(_ color: Color) -> String {
        "#" + [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns an ECMA-48 SGR sequence, with ISO 8613-6 colours.
    private func dress(_ face: Face) -> String {
        guard depth > .mono else { return "" }
        var parameters: [String] = []
        for (attribute, code) in [(Attributes.bold, "1"), (.underline, "4"), (.reverse, "7")] where face.attributes.contains(attribute) {
            parameters.append(code)
        }
        for (value, selector) in [(face.foreground, "38"), (face.background, "48")] {
            switch value {
            case .direct(let color): parameters.append("\(selector);2;\(color.red);\(color.green);\(color.blue)")
            case .indexed(let index): parameters.append("\(selector);5;\(index)")
            case nil: break
            }
        }
        return parameters.isEmpty ? "" : "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
}

extension String {
    /// Returns the text padded with spaces to `width` characters, with at least one space.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
