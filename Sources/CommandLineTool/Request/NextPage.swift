internal import AuthModel
internal import OAuth

/// The link to the next page in a JSON document. There is no standard: these members are in use.
enum NextPage: Equatable {
    /// There is none, or the document does not say.
    case last
    /// A reference to it, as it is written.
    case link(String)
    /// There is one, and the member that says so has no address.
    case unaddressed(member: String)

    /// The maximum size of a document that is searched, in bytes.
    static let limit = 16 << 20

    private static let links = [
        ["@odata.nextLink"], ["next"], ["next_page"], ["links", "next"], ["paging", "next", "link"], ["paging", "next"],
    ]
    private static let cursors = [
        ["nextPageToken"], ["next_page_token"], ["next_cursor"], ["response_metadata", "next_cursor"], ["paging", "next", "after"],
    ]
    private static let flags = [["has_more"], ["meta", "has_more"]]

    /// Reads a document.
    init(in document: JSONValue) {
        func value(_ path: [String]) -> JSONValue? { path.reduce(document) { $0?[$1] } }
        let flags = Self.flags.map { (path: $0, isSet: value($0)?.bool) }
        // A link does not count where the server says that this is the last page.
        guard !flags.contains(where: { $0.isSet == false }) else {
            self = .last
            return
        }
        let texts = Self.links.compactMap { value($0)?.string }
        if let link = texts.first(where: { $0.hasPrefix("/") || $0.hasPrefix("?") || $0.contains("://") }) {
            self = .link(link)
            return
        }
        let named = (Self.links + Self.cursors).first { path in
            value(path).map { !($0.string ?? $0.integer.map { String($0) } ?? "").isEmpty } ?? false
        }
        guard let path = named ?? flags.first(where: { $0.isSet == true })?.path else {
            self = .last
            return
        }
        self = .unaddressed(member: path.joined(separator: "."))
    }
}

/// The links of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the first link with a relation type, as it is written. Links of another context (`anchor`) do not count.
    static func target(of relation: String, in headers: [(name: String, value: String)]) -> String? {
        for header in headers where header.name.asciiLowercased() == "link" {
            var reader = Reader(rest: Array(header.value.utf8)[...])
            while let link = reader.link() {
                if link.relations.contains(relation), !link.hasAnchor, !link.hasNoResults { return link.target }
            }
        }
        return nil
    }

    private struct Link {
        var target: String
        var relations: [String] = []
        var hasAnchor = false
        /// Whether nothing is there: Sentry names a next page after the last one, too.
        var hasNoResults = false
    }

    /// Reads one field value; a malformed rest ends it.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func link() -> Link? {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard consume("<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            var link = Link(target: String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
            var hasRelation = false
            while parameterFollows() {
                skipSpace()
                let name = word().asciiLowercased()
                skipSpace()
                let value = consume("=") ? self.value() : ""
                // Only the first one counts (section 3.3).
                if name == "rel", !hasRelation {
                    hasRelation = true
                    link.relations = value.asciiLowercased().split(separator: " ").map(String.init)
                }
                if name == "anchor" { link.hasAnchor = true }
                if name == "results" { link.hasNoResults = value == "false" }
            }
            return link
        }

        private mutating func parameterFollows() -> Bool {
            skipSpace()
            return consume(";")
        }

        private mutating func value() -> String {
            skipSpace()
            guard consume("\"") else { return word() }
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

        private mutating func consume(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }
    }
}
