internal import TerminalUI
internal import TerminalAppModel

/// The escape sequences of the picker's parts, from a theme.
///
/// The list is drawn among other output, so the terminal's own background and text colour stay, except in the selected row.
struct PickerColors: Equatable, Sendable {
    let selection: String
    /// Added to a letter that matches the pattern.
    let match: String
    let quiet: String
    let star: String
    private let roles: [Role: String]

    /// Without colours: reversed, bold and underlined, dim.
    static let none = PickerColors()

    private init() {
        // Bold and underlined, because the selected row is reversed, and some terminals draw bold like normal.
        (selection, match, quiet, star) = ("\u{1B}[7m", "\u{1B}[1;4m", "\u{1B}[2m", "")
        roles = [:]
    }

    /// Creates the sequences of a theme.
    init(_ theme: Theme, depth: ColorDepth) {
        guard depth > .mono else {
            self = .none
            return
        }
        func foreground(_ style: Style) -> String {
            var face = theme.face(for: style, depth: depth)
            face.background = nil
            return face.sequence
        }
        selection = theme.face(for: Style(.text, on: .selection, attributes: .bold), depth: depth).sequence
        match = "\u{1B}[4m" + foreground(Style(.accent, attributes: .bold))
        quiet = foreground(Style(.muted))
        star = foreground(Style(.accent))
        roles = Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0, foreground(Style($0))) })
    }

    /// Returns the sequence for the colour of a state.
    func sequence(for role: Role) -> String { roles[role] ?? "" }
}
