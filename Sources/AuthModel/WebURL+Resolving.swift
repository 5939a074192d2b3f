extension WebURL {
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
