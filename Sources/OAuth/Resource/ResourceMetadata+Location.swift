public import AuthModel

extension ResourceMetadata {
    /// Where a resource's metadata may be, and about which resource it must then be.
    public struct Location: Equatable, Sendable {
        public let url: WebURL
        /// The identifiers that the document may have as `resource`: spellings of one.
        public let resources: [String]
        /// The identifiers of what ``resources`` lie in: parents of the path, up to the origin. See ``ResourceMetadata/isBroader``.
        public var parents: [String] = []
    }

    /// Where to look, the most likely place first; nowhere for a resource that is neither https nor on a loopback literal or `localhost`.
    ///
    /// A challenge that names the place is followed first, to this machine only where the resource is there itself, and its document must
    /// be about the URL that was called (RFC 9728 sections 3.3 and 5.1), the query of the call aside. Then the well-known part is inserted
    /// before the path of the URL, and then before no path; each document must be about the identifier that its place was made from
    /// (section 3.1). A document about a parent of the URL is taken as one: ``ResourceMetadata/isBroader``.
    ///
    /// - Parameters:
    ///   - called: the URL of the resource that was called, or that the person named.
    ///   - challenge: the challenge it answered with, where it did.
    public static func locations(of called: WebURL, challenge: Challenge? = nil) -> [Location] {
        guard called.mayBeResource else { return [] }
        let origin = called.origin.description
        let whole = called.query.map { "\(origin)\(called.path)?\($0)" }
        let exact = spellings(origin, called.path) + (whole.map { [$0] } ?? [])
        // Section 7.7: what answers only on this machine is not for a stranger to have asked.
        let isSafe: (WebURL) -> Bool = { called.origin.isThisMachine || !$0.origin.isThisMachine }
        let path = called.path == "/" ? "" : called.path
        let parents = parents(origin, path)
        let named = challenge?.resourceMetadata.flatMap { isSafe($0) ? Location(url: $0, resources: exact, parents: parents) : nil }
        let wellKnown = origin + "/.well-known/oauth-protected-resource"
        let inserted = WebURL(wellKnown + path).map { Location(url: $0, resources: spellings(origin, path), parents: parents) }
        let root = path.isEmpty ? nil : WebURL(wellKnown).map { Location(url: $0, resources: [], parents: spellings(origin, "")) }
        return [named, inserted, root].compactMap { $0 }.reduce(into: []) { places, place in
            if !places.contains(where: { $0.url == place.url }) { places.append(place) }
        }
    }

    /// The identifiers of the origin and of each path above `path`, with and without a slash at the end.
    private static func parents(_ origin: String, _ path: String) -> [String] {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var parents: [String] = []
        while segments.count > 1 {
            segments.removeLast()
            let above = origin + segments.joined(separator: "/")
            parents += [above, above + "/"]
        }
        return parents
    }

    /// The request for the document.
    public static func request(_ location: Location) -> WebRequest {
        WebRequest(method: .get, url: location.url, headers: [("Accept", "application/json")])
    }

    /// An identifier without a path is the same with `/` for one (RFC 3986 section 6.2.3).
    private static func spellings(_ origin: String, _ path: String) -> [String] {
        path.isEmpty || path == "/" ? [origin, origin + "/"] : [origin + path]
    }
}
