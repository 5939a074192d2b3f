extension WebURL {
    /// The URL in the one form that is compared and sent (RFC 3986 sections 6.2.2 and 6.2.3): the host in lower case, an address in
    /// canonical form, no default port, percent-encoding in upper case and of no unreserved character, dot segments carried out, `/` for an
    /// empty path.
    ///
    /// `nil` where two servers may read the path in two ways, so that what was checked is not what is asked for: dot segments that lead
    /// above the root, stand beside an encoded slash or have parameters (`..;x`), encoded backslashes and control characters,
    /// percent-encoding that is encoded once more (`%252e`), and bytes that are not UTF-8.
    public var normalized: WebURL? {
        guard let path = Self.normalizedPath(path) else { return nil }
        return WebURL(
            origin.description + path + (query.map { "?" + Self.normalizedEscapes($0) } ?? "")
                + (fragment.map { "#" + $0 } ?? ""))
    }

    /// Whether servers agree on what the path means: ``normalized`` is not `nil`, and no dot segment is in it.
    public var hasUnambiguousPath: Bool {
        guard let normalized = Self.normalizedPath(path) else { return false }
        return path.isEmpty || Self.normalizedEscapes(path) == normalized
    }

    /// Whether a slash stands encoded in the path: one segment to some servers, two to others.
    public var hasEncodedSlash: Bool { Self.normalizedEscapes(path).contains("%2F") }

    /// Whether it is at `place` or below: the same origin, and the path of `place` by whole segments. Both are normalized first; a slash at
    /// the end of `place` does not count, and where `place` has a path, an encoded slash leaves open where the URL is.
    public func lies(in place: WebURL) -> Bool {
        guard origin == place.origin, let url = normalized, let place = place.normalized else { return false }
        let folder = place.path.last == "/" ? String(place.path.dropLast()) : place.path
        return folder.isEmpty || !url.hasEncodedSlash && (url.path == folder || url.path.hasPrefix(folder + "/"))
    }

    private static func normalizedPath(_ path: String) -> String? {
        guard !path.isEmpty else { return "/" }
        let escaped = normalizedEscapes(path)
        guard isReadInOneWay(escaped) else { return nil }
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
        // What servers may cut off before they look for dots: parameters, and blanks at the end.
        let parts = String(segment).split(separator: "%2F", omittingEmptySubsequences: false)
        let mayBeDots = parts.contains { part in
            let name = part.replacing("%3B", with: ";").prefix { $0 != ";" }.replacing("%20", with: "")
            return name == "." || name == ".."
        }
        return mayBeDots ? .ambiguous : .name
    }

    /// Whether the percent-encoding of a path has one meaning.
    private static func isReadInOneWay(_ path: String) -> Bool {
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
            if value == UInt8(ascii: "%"), index + 4 < bytes.count, isHex(bytes[index + 3]), isHex(bytes[index + 4]) { return false }
            decoded.append(value)
            index += 3
        }
        return String(validating: decoded, as: UTF8.self) != nil
    }

    /// Percent-encoding in upper case, and unreserved characters as themselves (section 6.2.2.2).
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
            result += isUnreserved(value) ? [value] : Array(escape.uppercased().utf8)
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escapedByte(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count else { return nil }
        return UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
    }

    private static func isHex(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
