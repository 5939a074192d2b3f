/// An absolute http or https URL, taken apart strictly.
///
/// Nothing is mended: a URL with blanks, controls, quotes, a backslash, non-ASCII bytes, user information or a scheme other than
/// http and https is refused. What was checked is, byte for byte, what is requested, opened and shown.
public struct WebURL: Hashable, Sendable {
    /// The URL, as it was given.
    public let text: String
    /// Scheme, host and port.
    public let origin: Origin
    /// The path, percent-encoding kept; empty or beginning with `/`.
    public let path: String
    /// What stands between `?` and `#`, percent-encoding kept; `nil` when there is no `?`.
    public let query: String?
    /// What stands behind `#`; `nil` when there is none.
    public let fragment: String?

    /// Reads a URL; `nil` when it is not one we take.
    public init?(_ text: String) {
        // RFC 3986's characters, and no others: SWF-style "mending" of the rest is how a checked URL becomes another one.
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
            }
        }
        guard allowed, text.utf8.count <= 8192, Self.percentEncodingIsWhole(text),
            let schemeEnd = text.firstRange(of: "://"), let scheme = Origin.Scheme(rawValue: text[..<schemeEnd.lowerBound].lowercased())
        else { return nil }
        var rest = text[schemeEnd.upperBound...]
        if let hash = rest.firstIndex(of: "#") {
            fragment = String(rest[rest.index(after: hash)...])
            rest = rest[..<hash]
        } else {
            fragment = nil
        }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let origin = Origin(scheme: scheme, authority: String(rest[..<slash])) else { return nil }
        self.origin = origin
        path = String(rest[slash...])
        self.text = text
    }

    private static func percentEncodingIsWhole(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard index + 2 < bytes.count, bytes[index + 1...index + 2].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                return false
            }
        }
        return true
    }

    /// Whether a credential may travel there: https, or http on a loopback literal.
    public var isProtected: Bool { origin.isProtected }

    /// The same URL with `items` appended to its query, form-encoded (RFC 6749 appendix B).
    public func appending(query items: [(String, String)]) -> WebURL? {
        guard !items.isEmpty else { return self }
        let head = fragment.map { text.dropLast($0.utf8.count + 1) } ?? text[...]
        let joint = query == nil ? "?" : (query == "" ? "" : "&")
        return WebURL(head + joint + FormEncoding.encode(items))
    }

    /// The same URL without the parameters of that name in its query, which are written plainly there.
    public func removing(query name: String) -> WebURL? {
        guard let query, let mark = text.firstIndex(of: "?") else { return self }
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { $0 != name && !$0.hasPrefix(name + "=") }
        let tail = fragment.map { "#" + $0 } ?? ""
        return WebURL(text[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")) + tail)
    }
}

extension WebURL: CustomStringConvertible {
    /// The URL without its query and fragment, which may hold what is nobody's business.
    public var description: String { origin.description + path }
}

/// Scheme, host and port of a URL (RFC 6454), compared as a whole.
public struct Origin: Hashable, Sendable {
    /// The schemes we speak.
    public enum Scheme: String, Sendable {
        case http
        case https

        /// The port where none is written.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    public let scheme: Scheme
    /// In lower case; an IPv6 literal without its brackets.
    public let host: String
    public let port: Int

    public init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    init?(scheme: Scheme, authority: String) {
        var host = authority[...]
        var portText: Substring?
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else { return nil }
            let after = host[host.index(after: close)...]
            guard after.isEmpty || after.first == ":" else { return nil }
            portText = after.isEmpty ? nil : after.dropFirst()
            host = host[host.index(after: host.startIndex)..<close]
            guard Self.isIPv6Literal(host) else { return nil }
        } else {
            if let colon = host.firstIndex(of: ":") {
                portText = host[host.index(after: colon)...]
                host = host[..<colon]
            }
            guard Self.isHostName(host) else { return nil }
        }
        var port = scheme.defaultPort
        if let portText {
            guard !portText.isEmpty, portText.utf8.count <= 5, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(portText), (1...65_535).contains(number)
            else { return nil }
            port = number
        }
        self.init(scheme: scheme, host: host.lowercased(), port: port)
    }

    /// Eight groups of hexadecimal digits, the last two of which may be a dotted IPv4 literal; one `::` may stand for groups of zero
    /// (RFC 4291 section 2.2). No zone.
    private static func isIPv6Literal(_ text: Substring) -> Bool {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        var count = 0
        for (index, half) in halves.enumerated() where !half.isEmpty {
            let groups = half.split(separator: ":", omittingEmptySubsequences: false)
            for (position, group) in groups.enumerated() {
                let isLast = index == halves.count - 1 && position == groups.count - 1
                if isLast, isIPv4Literal(group) {
                    count += 2
                } else {
                    guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                        return false
                    }
                    count += 1
                }
            }
        }
        return halves.count == 2 ? count < 8 : count == 8
    }

    /// Four decimal numbers below 256, none with a zero in front.
    private static func isIPv4Literal(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }

    /// A DNS name or dotted IPv4 literal: letters, digits, inner hyphens and single inner dots.
    private static func isHostName(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 253 else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
                }
        }
    }

    /// Whether the host is a loopback literal (127.0.0.0/8 or ::1); the name `localhost` is not one, for it can be resolved to anything.
    public var isLoopback: Bool {
        if host == "::1" { return true }
        return host.hasPrefix("127.") && Self.isIPv4Literal(host[...])
    }

    /// Whether it is this machine, by a loopback literal or by the name that usually means one.
    public var isThisMachine: Bool { isLoopback || host == "localhost" || host.hasSuffix(".localhost") }

    /// Whether a credential may travel there.
    public var isProtected: Bool { scheme == .https || isLoopback }

    /// Host and port as they stand in a Host header: the port only where it is not the scheme's own.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }
}

extension Origin: CustomStringConvertible {
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}
