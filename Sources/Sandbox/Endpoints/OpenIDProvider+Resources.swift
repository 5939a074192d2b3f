import AuthModel

/// Protected resources (RFC 6750) and their metadata (RFC 9728).
extension OpenIDProvider {
    /// The resources of this server, by their paths after the issuer's path.
    enum Resource: String, CaseIterable {
        /// All resources together.
        case root = ""
        /// Greets the token's user.
        case hello = "/api/hello"
        /// Requires a recent sign-in (RFC 9470).
        case vault = "/api/vault"
        /// Behaves like an MCP server: accepts only tokens that name it as their resource.
        case tools = "/mcp"

        /// The scope that the resource requires.
        var scope: String? { self == .tools ? "mcp" : nil }
    }

    /// RFC 9728 section 3.
    static let resourceMetadataPath = "/.well-known/oauth-protected-resource"

    /// The values of `acr` that `/api/vault` requires, in order of preference (RFC 9470).
    private static let vaultClasses = ["urn:yett:sandbox:password-again"]
    /// The maximum age of the user's sign-in for `/api/vault`.
    private static let vaultMaximumAge = Duration.seconds(300)

    func hello(_ request: SandboxRequest) async -> SandboxResponse {
        await answer(request, at: .hello) { _ in }
    }

    func tools(_ request: SandboxRequest) async -> SandboxResponse {
        await answer(request, at: .tools) { _ in }
    }

    func vault(_ request: SandboxRequest) async -> SandboxResponse {
        await answer(request, at: .vault) { token throws(AccessRefusal) in
            let isKnown = Self.vaultClasses.contains(token.authenticationClass)
            let isRecent = self.now - token.authenticatedAt <= Self.vaultMaximumAge
            // Fault point: a step-up that is never sufficient.
            let isNeverEnough = self.faultSet.consume(.resource(.stepUpForEver))
            guard isKnown, isRecent, !isNeverEnough else {
                throw AccessRefusal(
                    error: "insufficient_user_authentication", text: "please sign in again", wantsProof: token.key != nil,
                    attributes: [
                        ("acr_values", Self.vaultClasses.joined(separator: " ")), ("max_age", String(Self.vaultMaximumAge.wholeSeconds)),
                    ])
            }
        }
    }

    /// Accepts a request, or returns a challenge.
    private func answer(
        _ request: SandboxRequest, at resource: Resource, _ check: (PresentedToken) throws(AccessRefusal) -> Void
    ) async -> SandboxResponse {
        // Looked up before faults take effect, because another server may have to be asked; the lookup consumes nothing.
        let found = await lookUp(request.accessToken?.token)
        return answering(.resource) {
            do throws(AccessRefusal) {
                let token = try admit(request, token: found, audience: audience(of: resource))
                if let scope = resource.scope, !token.scopes.contains(scope) {
                    throw AccessRefusal(error: "insufficient_scope", status: 403, wantsProof: token.key != nil)
                }
                try check(token)
                return withNonce(.json(greeting(for: token, request)), of: .resource, isDemand: false)
            } catch {
                var refusal = error
                refusal.attributes = directions(to: resource) + refusal.attributes
                return challenge(refusal)
            }
        }
    }

    /// Returns the resources of which a token must name one; an empty string stands for a token that names none.
    private func audience(of resource: Resource) -> [String] {
        let named = [issuer, issuer + resource.rawValue]
        return resource == .tools ? named : named + [issuer + "/api", ""]
    }

    /// Returns the challenge attributes besides the error. Fault point: the address of the metadata.
    private func directions(to resource: Resource) -> [(name: String, value: String)] {
        let faults = faultSet.consumeFaults(ResourceFault.self, where: \.affectsChallenges, as: Fault.resource)
        let path = Self.resourceMetadataPath + base + resource.rawValue
        var list: [(name: String, value: String)] = [("resource_metadata", origin + path)]
        if let scope = resource.scope { list.append(("scope", scope)) }
        return faults.reduce(list) { $1.apply(challenge: $0, elsewhere: elsewhere) }
    }

    /// Returns the properties of an access token from any of the resource's issuers; `nil` if it is invalid.
    private func lookUp(_ text: String?) async -> PresentedToken? {
        guard let text else { return nil }
        let servers = configuration.resources.authorizationServers
        if servers.isEmpty || servers.contains(issuer), let own = resourceToken(text) { return own }
        for server in servers where server != issuer {
            if let foreign = await introspect(text, at: server) { return foreign }
        }
        return nil
    }

    private func greeting(for token: PresentedToken, _ request: SandboxRequest) -> JSONValue {
        let greeting: JSONValue = [
            "hello": .string(user(token.username)?.name ?? token.username), "sub": .string(token.subject),
            "client_id": .string(token.clientID), "scope": .string(token.scopes.wire),
        ]
        // An MCP call is answered as JSON-RPC.
        guard let text = String(validating: request.body, as: UTF8.self), let call = try? JSONValue(strict: text),
            call["jsonrpc"] == "2.0", let id = call["id"]
        else { return greeting }
        return ["jsonrpc": "2.0", "id": id, "result": greeting]
    }

    func resourceMetadata(_ resource: Resource) -> SandboxResponse {
        answering(.resourceMetadata) {
            // Fault point: the metadata of a resource.
            let faults = faultSet.consumeFaults(ResourceFault.self, where: { $0.strikes(metadataOf: resource) }, as: Fault.resource)
            if faults.contains(.metadataAtRootAlone) { return .notFound }
            let servers = configuration.resources.authorizationServers
            var document: JSONValue = [
                "resource": .string(issuer + resource.rawValue),
                "authorization_servers": .array((servers.isEmpty ? [issuer] : servers).map { .string($0) }),
                "scopes_supported": .array((resource.scope.map { [$0] } ?? ReceivedAuthorization.knownScopes).map { .string($0) }),
                "bearer_methods_supported": ["header"], "resource_name": "A sandbox",
            ]
            if configuration.proofs.support != .off {
                document = document.setting("dpop_signing_alg_values_supported", .array(VerifyingKey.algorithms.map { .string($0) }))
                    .setting("dpop_bound_access_tokens_required", .bool(configuration.proofs.support == .required))
            }
            return .json(faults.reduce(document) { $1.apply(metadata: $0) })
        }
    }
}
