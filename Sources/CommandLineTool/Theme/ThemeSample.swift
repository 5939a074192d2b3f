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
        return (text, depth > .mono ? theme.face(for: style, depth: depth).sequence : "")
    }

    private static func hex(_ color: Color) -> String {
        "#" + [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension String {
    /// Returns the text padded with spaces to `width` characters, with at least one space.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
