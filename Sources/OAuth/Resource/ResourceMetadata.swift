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
    /// The authorization servers of the resource, in its order. Omits invalid issuer identifiers, and servers on this machine if the
    /// resource is remote.
    public let authorizationServers: [Issuer]
    /// The scopes of the resource; `nil` if it does not say.
    public let scopes: [String]?
    /// The name of the resource, reduced to characters that are safe to show.
    public let name: String?
    /// Whether the resource accepts only tokens bound to a key (RFC 9449).
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
            throw OAuthError(.resourceMetadata, .mismatch(what: UserMessage("phrase.resource")), host: host)
        }
        self.resource = resource
        isBroader = !isExact
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
}

extension ResourceMetadata {
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
}
