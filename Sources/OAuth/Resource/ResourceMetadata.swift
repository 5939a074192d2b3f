public import AuthModel

/// The metadata of a protected resource (RFC 9728), validated against the requested URL.
///
/// The metadata is only a claim of the resource. The user decides which authorization server to trust (``authorizationServer(among:)``),
/// and credentials of another server are never sent to one that is named here.
public struct ResourceMetadata: Equatable, Sendable {
    /// The resource identifier, byte for byte, for the `resource` parameter of token requests (RFC 8707).
    public let resource: WebURL
    /// Whether ``resource`` is a parent path of the called URL or its whole origin. A token for it is valid for all of that, so the user
    /// must agree.
    public let isBroader: Bool
    /// Whether the resource publishes no metadata, and this describes it by its URL alone; see ``init(assumedFor:)``.
    public let isAssumed: Bool
    /// The authorization servers of the resource, in its order. Omits invalid issuer identifiers, and servers on this machine if the
    /// resource is remote.
    public let authorizationServers: [Issuer]
    /// The scopes of the resource; `nil` if it does not say.
    public let scopes: [String]?
    /// The name of the resource, reduced to characters that are safe to show.
    public let name: String?
    /// Whether the metadata says that the resource accepts only tokens bound to a key (RFC 9449).
    public let requiresProof: Bool
    /// The proof algorithms that the resource accepts; `nil` if it does not say.
    public let proofAlgorithms: [String]?

    /// Reads the response. Accepts it only if `resource` is one of ``Location/resources``, byte for byte (section 3.3), or one of
    /// ``Location/parents``, which sets ``isBroader``.
    ///
    /// - Throws: ``OAuthError`` that names the invalid member and the host.
    public init(_ response: WebResponse, at location: Location, now: Timestamp) throws(OAuthError) {
        let host = location.url.origin.authority
        try response.requireSuccess(.resourceMetadata, host: host, now: now)
        let reader = try ResponseReader(response, .resourceMetadata, host: host)
        // Checks the resource first, because other errors in another resource's document are irrelevant.
        let text = try reader.requiredString("resource")
        let isExact = location.resources.contains { $0.hasSameBytes(as: text) }
        guard isExact || location.parents.contains(where: { $0.hasSameBytes(as: text) }), let resource = WebURL(text) else {
            let found = ServerError.cut(text, limit: 200)
            throw OAuthError(.resourceMetadata, .mismatch(what: UserMessage("phrase.resource_found", ["url": found])), host: host)
        }
        self.resource = resource
        isBroader = !isExact
        isAssumed = false
        let named = try reader.strings("authorization_servers") ?? []
        // A remote resource must not name servers on this machine (section 7.7).
        let mayBeHere = resource.origin.isThisMachine
        // A user could not choose among more than 32.
        authorizationServers = named.prefix(32).compactMap(Issuer.init).filter { mayBeHere || !$0.url.origin.isThisMachine }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        if authorizationServers.isEmpty, !named.isEmpty {
            throw OAuthError(.resourceMetadata, .unsafeEndpoint(member: "authorization_servers"), host: host)
        }
        scopes = try reader.strings("scopes_supported")?.filter(ScopeSet.isScope)
        name = try reader.string("resource_name").map { ServerError.cut($0, limit: 80) }.flatMap { $0.isEmpty ? nil : $0 }
        requiresProof = try reader.bool("dpop_bound_access_tokens_required") ?? false
        proofAlgorithms = try reader.strings("dpop_signing_alg_values_supported")
    }

    /// Creates the metadata of an MCP server that publishes none, because it follows the revision 2025-03-26: its origin is its authorization
    /// server. Returns `nil` for a URL that cannot have one.
    public init?(assumedFor called: WebURL) {
        let origin = called.origin.description
        guard called.isRequestable, let issuer = Issuer(origin), let resource = WebURL(origin + called.path) else { return nil }
        self.resource = resource
        isBroader = false
        isAssumed = true
        authorizationServers = [issuer]
        scopes = nil
        name = nil
        requiresProof = false
        proofAlgorithms = nil
    }

    /// The authorization server to use.
    public enum Choice: Equatable, Sendable {
        /// An issuer that the user already trusts.
        case chosen(Issuer)
        /// The user must choose, even if there is only one, because none is trusted yet (section 7.6).
        case ask([Issuer])
        /// The resource names no authorization server.
        case none
    }

    /// Returns the first authorization server that the user already trusts; otherwise all, for the user to choose from.
    ///
    /// - Parameter known: the issuers of the configured providers.
    public func authorizationServer(among known: some Collection<Issuer>) -> Choice {
        if let issuer = authorizationServers.first(where: known.contains) { return .chosen(issuer) }
        return authorizationServers.isEmpty ? .none : .ask(authorizationServers)
    }

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
    /// The first candidates are the URLs in the challenge, unless they are on this machine and the resource is not. Their document must
    /// describe the called URL (RFC 9728 sections 3.3 and 5.1), with or without the query. Next, the well-known path is inserted before the path of
    /// the URL and its query, whose document may describe either, then before the path alone, and then used without a path. Each document must describe the identifier that its URL was derived from (section 3.1). A
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
        let named = (challenge?.resourceMetadata ?? []).filter(isSafe).map { Location(url: $0, resources: exact, parents: parents) }
        let wellKnown = origin + "/.well-known/oauth-protected-resource"
        // The query is a part of the identifier (section 3.1), but most servers do not look at it.
        let queried = called.query.flatMap { WebURL("\(wellKnown)\(path)?\($0)") }.map {
            Location(url: $0, resources: exact, parents: parents)
        }
        let inserted = WebURL(wellKnown + path).map { Location(url: $0, resources: spellings(origin, path), parents: parents) }
        let root = path.isEmpty ? nil : WebURL(wellKnown).map { Location(url: $0, resources: [], parents: spellings(origin, "")) }
        return (named + [queried, inserted, root].compactMap(\.self)).reduce(into: []) { places, place in
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

/// A protected resource that was asked for its metadata and called without a token (RFC 9728).
public struct DiscoveredResource: Equatable, Sendable {
    /// The URL that was called.
    public let called: WebURL
    /// The metadata of the resource.
    public let metadata: ResourceMetadata
    /// The challenge of the resource; `nil` if it did not ask for a token.
    public let challenge: Challenge?
    /// The scopes that the user asked for, instead of those that the resource wants; empty for none.
    public var chosenScopes: [String] = []

    /// Creates a description from the answers of the resource.
    public init(called: WebURL, metadata: ResourceMetadata, challenge: Challenge?) {
        self.called = called
        self.metadata = metadata
        self.challenge = challenge
    }

    /// Whether the resource accepts only tokens bound to a key: its metadata says so, or it asks for no other (RFC 9449 section 7.1).
    public var requiresProof: Bool { metadata.requiresProof || challenge?.excludesBearer == true }

    /// The scopes to request: those that the user chose, else those of the challenge, else all scopes of the resource (RFC 9728 section 5.1
    /// prefers the challenge).
    public var scopes: [String] {
        if !chosenScopes.isEmpty { return chosenScopes }
        let wanted = challenge?.scopes.values ?? []
        return wanted.isEmpty ? metadata.scopes ?? [] : wanted
    }
}

/// The resource indicator of a request (RFC 8707 section 2).
public enum ResourceIndicator {
    /// Returns whether `text` is an absolute URI (RFC 3986 section 4.3) without a fragment. It need not be a web address.
    public static func isValid(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), (1...2048).contains(text.utf8.count) else { return false }
        let scheme = text[..<colon].utf8
        guard let first = scheme.first, first.isASCIILetter, scheme.allSatisfy({ $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) })
        else { return false }
        let rest = Array(text[text.index(after: colon)...].utf8)
        guard !rest.isEmpty, rest.allSatisfy({ $0.isASCIIAlphanumeric || "-._~:/?[]@!$&'()*+,;=%".utf8.contains($0) }) else {
            return false
        }
        // Every percent sign must start an escape.
        return rest.indices.allSatisfy {
            rest[$0] != UInt8(ascii: "%") || rest[($0 + 1)...].prefix(2).compactMap(\.hexadecimalValue).count == 2
        }
    }
}
