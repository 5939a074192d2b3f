import TerminalUI

extension Key {
    /// The name for typing the key in a line: as in the configuration, with short names for two keys.
    var plainName: String {
        switch self {
        case .escape: "esc"
        case .enter: "enter"
        default: name
        }
    }

    /// Creates the key with a name; nil for an unknown name.
    init?(plainName: String) {
        switch plainName.lowercased() {
        case "esc": self = .escape
        case "return": self = .enter
        default: self.init(name: plainName)
        }
    }
}
