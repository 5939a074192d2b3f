/// Quotes text as one word of a command line, so that a command in a hint can be pasted into bash, zsh, fish or a POSIX shell as it stands.
///
/// Plain words stay as they are. Others are put in single quotes, where no shell expands anything; a quote and a backslash, which fish
/// reads inside of them, stand outside. Control characters, which no shell but bash and zsh can write on one line, become `$'\x0a'`.
public struct ShellWord: Sendable, CustomStringConvertible {
    /// The quoted word, on one line.
    public let text: String

    public init(_ value: some CustomStringConvertible) {
        let value = value.description
        let isPlain = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-+,:@%=".utf8.contains(byte)
            }
        }
        // zsh replaces a word that begins with =, older fish one that begins with %.
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

    public var description: String { text }
}
