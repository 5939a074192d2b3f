import AuthModel

/// Resources that need a token (RFC 6750), and what they say about themselves (RFC 9728).
extension OpenIDProvider {
    /// The resources of this server, by their paths behind the issuer's.
    enum Resource: String, CaseIterable {
        /// All of them together.
        case root = ""
        /// Greets whoever the token stands for.
        case hello = "/api/hello"
        /// Opens to whoever signed in again a short while ago (RFC 9470).
        case vault = "/api/vault"
        /// Shaped like an MCP server: takes no token that was not asked for by its name.
        case tools = "/mcp"

        /// The scope without which it lets nobody in.
        var scope: String? { self == .tools ? "mcp" : nil }
    }

    /// RFC 9728 section 3.
    static let resourceMetadataPath = "/.well-known/oauth-protected-resource"

    func hello(_ request: SandboxRequest) async -> Answer {
        await answer(request, at: .hello) { _ in }
    }

    func tools(_ request: SandboxRequest) async -> Answer {
        await answer(request, at: .tools) { _ in }
    }

    func vault(_ request: SandboxRequest) async -> Answer {
        let wanted = configuration.resources
        return await answer(request, at: .vault) { token throws(AccessRefusal) in
            let isKnown = wanted.vaultClasses.isEmpty || wanted.vaultClasses.contains(token.authenticationClass)
            let isRecent = wanted.vaultMaximumAge.map { self.now - token.authenticatedAt <= $0 } ?? true
            // Fault point: a step up that is never enough.
            let isNeverEnough = self.misbehaviour.take(.resource(.stepUpForEver))
            guard isKnown, isRecent, !isNeverEnough else {
                var attributes: [(name: String, value: String)] = []
                if !wanted.vaultClasses.isEmpty { attributes.append(("acr_values", wanted.vaultClasses.joined(separator: " "))) }
                if let age = wanted.vaultMaximumAge { attributes.append(("max_age", String(age.wholeSeconds))) }
                throw AccessRefusal(
                    error: "insufficient_user_authentication", text: "please sign in again", wantsProof: token.key != nil,
                    attributes: attributes)
            }
        }
    }

    /// Lets a request in, or says what it needs.
    private func answer(
        _ request: SandboxRequest, at resource: Resource, _ check: (ResourceToken) throws(AccessRefusal) -> Void
    ) async -> Answer {
        // Looked up first, for another server may have to be asked; nothing is used up by it.
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

    /// The resources that a token has to name; the empty text stands for a token that names none.
    private func audience(of resource: Resource) -> [String] {
        let named = [issuer, issuer + resource.rawValue]
        return resource == .tools ? named : named + [issuer + "/api", ""]
    }

    /// What stands in a challenge beside the error. Fault point: where it says that the metadata is.
    private func directions(to resource: Resource) -> [(name: String, value: String)] {
        let faults = misbehaviour.strike(ResourceFault.self, where: \.isAboutChallenges, as: Fault.resource)
        let path = Self.resourceMetadataPath + base + resource.rawValue
        var list: [(name: String, value: String)] = [("resource_metadata", origin + path)]
        if let scope = resource.scope { list.append(("scope", scope)) }
        return faults.reduce(list) { $1.distort(challenge: $0, elsewhere: elsewhere) }
    }

    /// What an access token allows, wherever it comes from; `nil` when it is not good here.
    private func lookUp(_ text: String?) async -> ResourceToken? {
        guard let text else { return nil }
        let servers = configuration.resources.authorizationServers
        if servers.isEmpty || servers.contains(issuer), let own = resourceToken(text) { return own }
        for server in servers where server != issuer {
            if let foreign = await introspect(text, at: server) { return foreign }
        }
        return nil
    }

    private func greeting(for token: ResourceToken, _ request: SandboxRequest) -> JSONValue {
        let greeting: JSONValue = [
            "hello": .string(person(token.username)?.name ?? token.username), "sub": .string(token.subject),
            "client_id": .string(token.clientID), "scope": .string(token.scopes.wire),
        ]
        // A call as MCP makes it is answered in its own form.
        guard let text = String(validating: request.body, as: UTF8.self), let call = try? JSONValue(strict: text),
            call["jsonrpc"] == "2.0", let id = call["id"]
        else { return greeting }
        return ["jsonrpc": "2.0", "id": id, "result": greeting]
    }

    func resourceMetadata(_ resource: Resource) -> Answer {
        answering(.resourceMetadata) {
            // Fault point: what a resource says about itself.
            let faults = misbehaviour.strike(ResourceFault.self, where: { $0.strikes(metadataOf: resource) }, as: Fault.resource)
            if faults.contains(.metadataAtRootAlone) { return .notFound }
            let servers = configuration.resources.authorizationServers
            var document: JSONValue = [
                "resource": .string(issuer + resource.rawValue),
                "authorization_servers": .array((servers.isEmpty ? [issuer] : servers).map { .string($0) }),
                "scopes_supported": .array((resource.scope.map { [$0] } ?? AuthorizationRequest.knownScopes).map { .string($0) }),
                "bearer_methods_supported": ["header"], "resource_name": "A sandbox",
            ]
            if configuration.proofs.support != .off {
                document = document.setting("dpop_signing_alg_values_supported", .array(VerifyingKey.algorithms.map { .string($0) }))
                    .setting("dpop_bound_access_tokens_required", .bool(configuration.proofs.support == .required))
            }
            return .json(faults.reduce(document) { $1.distort(metadata: $0) })
        }
    }
}
