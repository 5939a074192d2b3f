extension WebURL {
    /// The canonical form of the URL, which is compared and sent (RFC 3986 sections 6.2.2 and 6.2.3): host in lower case, address in
    /// canonical form, no default port, percent-encoding in upper case and only for reserved characters, dot segments resolved, `/` for an
    /// empty path.
    ///
    /// `nil` if two servers may interpret the path differently, so that the checked URL is not the requested one: dot segments that lead
    /// above the root, are next to an encoded slash or have parameters (`..;x`), encoded backslashes and control characters, double
    /// percent-encoding (`%252e`), and bytes that are not UTF-8.
    public var normalized: WebURL? {
        guard let path = Self.normalizedPath(path) else { return nil }
        return WebURL(
            origin.description + path + (query.map { "?" + Self.normalizedEscapes($0) } ?? "")
                + (fragment.map { "#" + $0 } ?? ""))
    }

    /// Whether all servers interpret the path in the same way: ``normalized`` is not `nil`, and the path has no dot segments.
    public var hasUnambiguousPath: Bool {
        guard let normalized = Self.normalizedPath(path) else { return false }
        return path.isEmpty || Self.normalizedEscapes(path) == normalized
    }

    /// Whether the path contains an encoded slash, which some servers treat as a separator and others do not.
    public var hasEncodedSlash: Bool { Self.normalizedEscapes(path).contains("%2F") }

    /// Returns whether the URL is `base` or below it: the same origin, and a path that starts with the segments of `base`. Both are
    /// normalized first. A trailing slash of `base` is ignored. If `base` has a path, a URL with an encoded slash does not match.
    public func lies(in base: WebURL) -> Bool {
        guard origin == base.origin, let url = normalized, let base = base.normalized else { return false }
        let folder = base.path.last == "/" ? String(base.path.dropLast()) : base.path
        return folder.isEmpty || !url.hasEncodedSlash && (url.path == folder || url.path.hasPrefix(folder + "/"))
    }

    private static func normalizedPath(_ path: String) -> String? {
        guard !path.isEmpty else { return "/" }
        let escaped = normalizedEscapes(path)
        guard isUnambiguous(escaped) else { return nil }
        var kept: [Substring] = []
        let segments = escaped.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            switch meaning(of: segment) {
            case .ambiguous: return nil
            case .name: kept.append(segment)
            case .parent where kept.isEmpty: return nil
            case .parent:
                kept.removeLast()
                fallthrough
            case .here: if index == segments.count - 1 { kept.append("") }
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    private enum Meaning {
        case name, here, parent, ambiguous
    }

    private static func meaning(of segment: Substring) -> Meaning {
        switch segment {
        case ".": return .here
        case "..": return .parent
        default: break
        }
        // Servers may remove parameters and trailing spaces before they look for dots.
        let parts = String(segment).split(separator: "%2F", omittingEmptySubsequences: false)
        let mayBeDots = parts.contains { part in
            let name = part.replacing("%3B", with: ";").prefix { $0 != ";" }.replacing("%20", with: "")
            return name == "." || name == ".."
        }
        return mayBeDots ? .ambiguous : .name
    }

    /// Returns whether the percent-encoding of a path is unambiguous.
    private static func isUnambiguous(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let value = escapedByte(in: bytes, at: index) else {
                decoded.append(bytes[index])
                index += 1
                continue
            }
            if value < 0x20 || value == 0x7F || value == UInt8(ascii: "\\") { return false }
            if value == UInt8(ascii: "%"), index + 4 < bytes.count, bytes[index + 3].hexadecimalValue != nil,
                bytes[index + 4].hexadecimalValue != nil
            {
                return false
            }
            decoded.append(value)
            index += 3
        }
        return String(validating: decoded, as: UTF8.self) != nil
    }

    /// Returns the text with percent-encoding in upper case and unreserved characters decoded (section 6.2.2.2).
    private static func normalizedEscapes(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let value = escapedByte(in: bytes, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let escape = String(decoding: bytes[index..<index + 3], as: UTF8.self)
            result += value.isUnreserved ? [value] : Array(escape.uppercased().utf8)
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escapedByte(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue,
            let low = bytes[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    /// Whether the byte is an unreserved character (section 2.3).
    var isUnreserved: Bool { isASCIIAlphanumeric || "-._~".utf8.contains(self) }
}

extension WebURL {
    /// The URL without its final slash, so that a path can be appended; `nil` if it has a query.
    package var asBase: WebURL? {
        guard query == nil else { return nil }
        return text.last == "/" ? WebURL(String(text.dropLast())) : self
    }
}
