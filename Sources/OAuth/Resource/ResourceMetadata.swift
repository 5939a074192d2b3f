public import AuthModel

/// What a protected resource publishes about itself (RFC 9728), read and held to the address it was asked for.
///
/// It is a resource's word, and no more: which authorization server is trusted is the person's decision
/// (``authorizationServer(among:)``), and nothing that belongs to another server goes to one that is named here.
public struct ResourceMetadata: Equatable, Sendable {
    /// The resource identifier, byte for byte; what `resource` is to be in requests for tokens (RFC 8707).
    public let resource: WebURL
    /// Whether ``resource`` is more than the address that was called: a parent of its path, or the whole origin. Then a token for it is
    /// good for all of that, and the user has to agree.
    public let isBroader: Bool
    /// The authorization servers that give tokens for it, in its order. Those that are no issuer identifiers are left out, and
    /// those on this machine where the resource is elsewhere.
    public let authorizationServers: [Issuer]
    /// The scopes it knows; `nil` where it does not say.
    public let scopes: [String]?
    /// What it calls itself, in characters that may be shown.
    public let name: String?
    /// Whether it takes only tokens that are bound to a key (RFC 9449).
    public let requiresProof: Bool
    /// The algorithms of the proofs it takes; `nil` where it does not say.
    public let proofAlgorithms: [String]?

    /// Reads the answer, and takes it only when it is about the very resource that was asked for (section 3.3): `resource` is one of
    /// ``Location/resources``, byte for byte. One of ``Location/parents`` is taken as ``isBroader``.
    ///
    /// - Throws: ``OAuthError`` that names the member at fault and the host.
    public init(_ response: WebResponse, at location: Location, now: Timestamp) throws(OAuthError) {
        let host = location.url.origin.authority
        try response.requireSuccess(.resourceMetadata, host: host, now: now)
        let reader = try AnswerReader(response, .resourceMetadata, host: host)
        // The resource first: nothing of a stranger's document is worth an error of its own.
        let text = try reader.requiredString("resource")
        let isExact = location.resources.contains { $0.hasSameBytes(as: text) }
        guard isExact || location.parents.contains(where: { $0.hasSameBytes(as: text) }), let resource = WebURL(text) else {
            throw OAuthError(.resourceMetadata, .mismatch(what: "resource"), host: host)
        }
        self.resource = resource
        isBroader = !isExact
        let named = try reader.strings("authorization_servers") ?? []
        // Section 7.7: a stranger does not send us to what answers only on this machine.
        let mayBeHere = resource.origin.isThisMachine
        // No resource has so many that a person could choose among more.
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
    /// Which authorization server is to be used.
    public enum Choice: Equatable, Sendable {
        /// One the person has chosen before.
        case chosen(Issuer)
        /// The person must choose, also where there is only one: nobody has trusted it yet (section 7.6).
        case ask([Issuer])
        /// The resource names none.
        case none
    }

    /// The first authorization server that the person has chosen before; else all, to be asked about.
    ///
    /// - Parameter known: the issuers of the configured providers.
    public func authorizationServer(among known: some Collection<Issuer>) -> Choice {
        if let issuer = authorizationServers.first(where: known.contains) { return .chosen(issuer) }
        return authorizationServers.isEmpty ? .none : .ask(authorizationServers)
    }
}
