internal import AuthModel
internal import UserConfiguration

/// A variable of a command's environment that gets a token: `NAME[=KIND[:SESSION]]`.
struct TokenVariable: Equatable {
    /// The content of the variable.
    enum Kind: String, CaseIterable {
        case token
        case idToken = "id_token"
        /// The header line that the provider's resources expect.
        case header
    }

    let name: String
    let kind: Kind
    /// The session; `nil` for the one on the command line.
    let session: SessionName?

    /// Parses a variable. Throws `.usage` for anything else.
    init(_ text: String) throws(AuthFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) : ["token"]
        guard let first = parts.first, Self.isName(first), let kind = Kind(rawValue: String(value[0])) else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a variable for a token",
                hint: "write NAME, or NAME=token, NAME=id_token or NAME=header, and :SESSION after it if there are several")
        }
        name = String(first)
        self.kind = kind
        session = value.count > 1 ? try SessionName(argument: String(value[1])) : nil
    }

    /// Reads a file with one variable per line; empty lines and those that begin with `#` do not count. Throws `.usage` for other lines, and
    /// for a file that does not exist.
    static func read(_ path: String) throws(AuthFailure) -> [TokenVariable] {
        guard let bytes = try PrivateFile.read(path) else { throw AuthFailure(.usage, text: "file \(path) not found") }
        let lines = String(decoding: bytes, as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }.map { $0.trimmed.description }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line throws(AuthFailure) in try TokenVariable(line) }
    }

    /// Whether the text is a name that every shell can use.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
    }
}
