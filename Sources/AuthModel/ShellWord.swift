/// Quotes text as one shell word, so that a command in a hint can be pasted into bash, zsh, fish or a POSIX shell.
///
/// Plain words stay unchanged. Other words are put in single quotes, where no shell expands anything. Quotes and backslashes are placed
/// outside them, because fish interprets them inside. Control characters become `$'\x0a'`, because only bash and zsh can write them on one
/// line.
public struct ShellWord: Sendable, CustomStringConvertible {
    /// The quoted word, on one line.
    public let text: String

    /// Quotes the description of a value.
    public init(_ value: some CustomStringConvertible) {
        let value = value.description
        let isPlain = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-+,:@%=".utf8.contains(byte)
            }
        }
        // zsh expands a word that starts with =, and older versions of fish expand one that starts with %.
        if isPlain, let first = value.first, first != "=", first != "%" {
            text = value
            return
        }
        var word = ""
        var isQuoted = false
        func quote(_ wanted: Bool) {
            if isQuoted != wanted { word += "'" }
            isQuoted = wanted
        }
        for scalar in value.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                quote(false)
                word += "$'" + String(scalar).utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
            default:
                quote(scalar != "'" && scalar != "\\")
                if !isQuoted { word += "\\" }
                word.unicodeScalars.append(scalar)
            }
        }
        quote(false)
        text = word.isEmpty ? "''" : word
    }

    /// The quoted word, on one line.
    public var description: String { text }
}
