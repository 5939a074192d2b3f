public import AuthModel

extension ResourceMetadata {
    /// A possible URL of a resource's metadata, and the resource identifiers that its document may have.
    public struct Location: Equatable, Sendable {
        /// The URL of the metadata.
        public let url: WebURL
        /// The accepted `resource` values of the document: equivalent spellings of one identifier.
        public let resources: [String]
        /// The identifiers of the parents of ``resources``: parent paths, up to the origin. See ``ResourceMetadata/isBroader``.
        public var parents: [String] = []
    }

    /// Returns the possible metadata URLs, most likely first; none for a resource that is neither https nor on a loopback literal or
    /// `localhost`.
    ///
    /// The first candidate is the URL in the challenge, unless it is on this machine and the resource is not. Its document must describe
    /// the called URL (RFC 9728 sections 3.3 and 5.1), with or without the query. Next, the well-known path is inserted before the path of
    /// the URL, and then used without a path. Each document must describe the identifier that its URL was derived from (section 3.1). A
    /// document about a parent of the URL is accepted as such: ``ResourceMetadata/isBroader``.
    ///
    /// - Parameters:
    ///   - called: the URL of the resource that was called or that the user named.
    ///   - challenge: the challenge in the resource's response, if any.
    public static func locations(of called: WebURL, challenge: Challenge? = nil) -> [Location] {
        guard called.isRequestable else { return [] }
        let origin = called.origin.description
        let whole = called.query.map { "\(origin)\(called.path)?\($0)" }
        let exact = spellings(origin, called.path) + (whole.map { [$0] } ?? [])
        // A remote resource must not direct requests to services of this machine (section 7.7).
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

    /// Returns the identifiers of the origin and of each path above `path`, with and without a trailing slash.
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

    /// Builds the request for the document.
    public static func request(_ location: Location) -> WebRequest {
        WebRequest(method: .get, url: location.url, headers: [("Accept", "application/json")])
    }

    /// Returns the spellings of an identifier: one without a path equals one with `/` (RFC 3986 section 6.2.3).
    private static func spellings(_ origin: String, _ path: String) -> [String] {
        path.isEmpty || path == "/" ? [origin, origin + "/"] : [origin + path]
    }
}
