/// A path as a word that can be pasted into a shell, on one line whatever is in it.
struct ShellWord {
    let text: String

    init(_ path: String) {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-+,:@%=".utf8.contains(byte)
            }
        }
        if plain, !path.isEmpty {
            text = path
            return
        }
        var word = ""
        var needsEscapes = false
        for scalar in path.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                needsEscapes = true
                for byte in String(scalar).utf8 { word += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            default:
                if scalar == "'" || scalar == "\\" {
                    needsEscapes = true
                    word += "\\"
                }
                word.unicodeScalars.append(scalar)
            }
        }
        text = (needsEscapes ? "$'" : "'") + word + "'"
    }
}
