extension WebURL {
    /// What a reference leads to from here (RFC 3986 section 5.2): a whole URL, or a host, path, query or fragment that stands for one.
    ///
    /// `nil` where that is no URL we take; nothing is mended.
    public func resolving(_ reference: String) -> WebURL? {
        if let sign = reference.first(where: { ":/?#".contains($0) }), sign == ":" { return WebURL(reference) }
        if reference.hasPrefix("//") { return WebURL("\(origin.scheme.rawValue):\(reference)") }
        let hash = reference.firstIndex(of: "#") ?? reference.endIndex
        let mark = reference[..<hash].firstIndex(of: "?") ?? hash
        let target: String
        if mark > reference.startIndex {
            target = Self.withoutDots(merged(reference[..<mark])) + reference[mark..<hash]
        } else {
            target = path + (mark < hash ? String(reference[mark..<hash]) : query.map { "?" + $0 } ?? "")
        }
        return WebURL(origin.description + target + reference[hash...])
    }

    /// A path in the place of what stands behind the last slash of this one (section 5.2.3).
    private func merged(_ relative: Substring) -> String {
        if relative.hasPrefix("/") { return String(relative) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        return folder + relative
    }

    /// `path`, which begins with a slash, with `.` and `..` carried out (section 5.2.4).
    private static func withoutDots(_ path: String) -> String {
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
