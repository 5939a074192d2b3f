internal import AuthModel
internal import OAuth

/// The links of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the first link with a relation type, as it is written. Links of another context (`anchor`) do not count.
    static func target(of relation: String, in headers: [(name: String, value: String)]) -> String? {
        for header in headers where header.name.asciiLowercased() == "link" {
            var reader = Reader(rest: Array(header.value.utf8)[...])
            while let link = reader.link() {
                if link.relations.contains(relation), !link.hasAnchor { return link.target }
            }
        }
        return nil
    }

    private struct Link {
        var target: String
        var relations: [String] = []
        var hasAnchor = false
    }

    /// Reads one field value; a malformed rest ends it.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func link() -> Link? {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard take("<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            var link = Link(target: String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
            var hasRelation = false
            while parameterFollows() {
                skipSpace()
                let name = word().asciiLowercased()
                skipSpace()
                let value = take("=") ? self.value() : ""
                // Only the first one counts (section 3.3).
                if name == "rel", !hasRelation {
                    hasRelation = true
                    link.relations = value.asciiLowercased().split(separator: " ").map(String.init)
                }
                if name == "anchor" { link.hasAnchor = true }
            }
            return link
        }

        private mutating func parameterFollows() -> Bool {
            skipSpace()
            return take(";")
        }

        private mutating func value() -> String {
            skipSpace()
            guard take("\"") else { return word() }
            var text: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { text.append(escaped) } else { text.append(byte) }
            }
            return String(decoding: text, as: UTF8.self)
        }

        private mutating func word() -> String {
            let end = rest.firstIndex { !$0.isHTTPTokenByte && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") } ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }

        private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

        private mutating func skip(while condition: (UInt8) -> Bool) { rest = rest.drop(while: condition) }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }
    }
}
