/// An absolute http or https URL, parsed strictly.
///
/// The parser repairs nothing. It refuses spaces, control characters, quotes, backslashes, non-ASCII bytes, user information and schemes
/// other than http and https. The checked text is requested, opened and shown byte for byte. Destinations of credentials are compared in
/// canonical form: ``normalized``.
public struct WebURL: Hashable, Sendable {
    /// The URL as it was given.
    public let text: String
    /// Scheme, host and port.
    public let origin: Origin
    /// The path with its percent-encoding; empty or starting with `/`.
    public let path: String
    /// The text between `?` and `#` with its percent-encoding; `nil` if there is no `?`.
    public let query: String?
    /// The text after `#`; `nil` if there is none.
    public let fragment: String?

    /// Parses a URL; returns `nil` if it is not accepted.
    public init?(_ text: String) {
        // Only the characters of RFC 3986: repairing others would turn a checked URL into a different one.
        let allowed = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0) }
        guard allowed, text.utf8.count <= 8192, Self.hasValidPercentEncoding(text),
            let schemeEnd = text.firstRange(of: "://"),
            let scheme = Origin.Scheme(rawValue: text[..<schemeEnd.lowerBound].asciiLowercased())
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

    private static func hasValidPercentEncoding(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard index + 2 < bytes.count, bytes[index + 1...index + 2].allSatisfy({ $0.hexadecimalValue != nil }) else { return false }
        }
        return true
    }

    /// Whether any program may send credentials to the URL: https, or http on a loopback literal.
    public var isProtected: Bool { origin.isProtected }

    /// Whether the URL is http on the name `localhost`, as used by servers in development. The name can resolve to any address (RFC 8252
    /// section 8.3), so the HTTP client refuses a connection that does not end on the loopback interface.
    public var isPlainLocalhost: Bool { origin.scheme == .http && origin.host == "localhost" }

    /// Whether the HTTP client sends requests to the URL, with credentials too: https, http on a loopback literal, or http on `localhost`,
    /// whose address it checks. An issuer, an endpoint and a resource must have such a URL. For URLs that other programs connect to:
    /// ``isProtected``.
    public var isRequestable: Bool { isProtected || isPlainLocalhost }

    /// Returns the URL with `items` appended to its query, form-encoded (RFC 6749 appendix B).
    public func appending(query items: [(String, String)]) -> WebURL? {
        guard !items.isEmpty else { return self }
        let head = fragment.map { text.dropLast($0.utf8.count + 1) } ?? text[...]
        let joint = query == nil ? "?" : (query == "" ? "" : "&")
        return WebURL(head + joint + FormEncoding.encode(items))
    }

    /// Returns the URL without the query parameters of this name. Percent-encoded spellings of the name do not match.
    public func removing(query name: String) -> WebURL? {
        guard let query, let mark = text.firstIndex(of: "?") else { return self }
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { $0 != name && !$0.hasPrefix(name + "=") }
        let tail = fragment.map { "#" + $0 } ?? ""
        return WebURL(text[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")) + tail)
    }

    /// Resolves a reference against this URL (RFC 3986 section 5.2): an absolute URL, or one that starts with a host, path, query or
    /// fragment.
    ///
    /// Returns `nil` if the result is not a valid ``WebURL``. Does not repair anything.
    public func resolving(_ reference: String) -> WebURL? {
        if let sign = reference.first(where: { ":/?#".contains($0) }), sign == ":" { return WebURL(reference) }
        if reference.hasPrefix("//") { return WebURL("\(origin.scheme.rawValue):\(reference)") }
        let hash = reference.firstIndex(of: "#") ?? reference.endIndex
        let mark = reference[..<hash].firstIndex(of: "?") ?? hash
        let target: String
        if mark > reference.startIndex {
            target = Self.removingDotSegments(merged(reference[..<mark])) + reference[mark..<hash]
        } else {
            target = path + (mark < hash ? String(reference[mark..<hash]) : query.map { "?" + $0 } ?? "")
        }
        return WebURL(origin.description + target + reference[hash...])
    }

    /// Returns a path that replaces everything after the last slash of this one (section 5.2.3).
    private func merged(_ relative: Substring) -> String {
        if relative.hasPrefix("/") { return String(relative) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        return folder + relative
    }

    /// Returns `path`, which starts with a slash, with `.` and `..` resolved (section 5.2.4).
    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isDots = segment == "." || segment == ".."
            if segment == ".." { _ = kept.popLast() }
            if !isDots { kept.append(segment) } else if index == segments.count - 1 { kept.append("") }
        }
        return "/" + kept.joined(separator: "/")
    }
}

extension WebURL: CustomStringConvertible {
    /// The URL without its query and fragment, which may contain sensitive data.
    public var description: String { origin.description + path }
}
