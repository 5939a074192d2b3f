internal import AuthModel

extension [String] {
    /// The first word of a command, with a mark if there are more: other words may be secrets.
    static func firstWord(of command: String) -> String {
        let words = command.split(separator: " ", maxSplits: 1)
        return (words.first.map(String.init) ?? "") + (words.count > 1 ? " …" : "")
    }

    /// The words as a line for a shell.
    var shellLine: String { map { ShellWord($0).text }.joined(separator: " ") }
}
