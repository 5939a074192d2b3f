import AuthEngine
import AuthModel
import Fuzzing
import Localization
import OAuth

/// Checks of the operations that create no session.
extension ResultValidator {
    /// Checks a registered client against the registration response.
    func check(_ client: RegisteredClient, _ registration: ClientRegistration) throws(BrokenProperty) {
        guard let answer = evidence.document(.registration) else { throw BrokenProperty("no JSON registration response was sent") }
        let isNamed = answer["client_id"]?.string == client.clientID && !client.clientID.isEmpty
        try BrokenProperty.unless(isNamed, "another client was registered")
        let redirects = answer["redirect_uris"]?.strings
        try BrokenProperty.unless(
            redirects.map { registration.redirectURIs.allSatisfy($0.contains) } ?? true, "the registered redirects differ")
        let method = answer["token_endpoint_auth_method"]?.string
        let hasSecret = answer["client_secret"]?.string?.isEmpty == false
        try BrokenProperty.unless(
            method == nil || method == "none" || hasSecret && ["client_secret_basic", "client_secret_post"].contains(method),
            "the client was registered with a secret that it does not have")
        guard let management = client.management else { return }
        try BrokenProperty.unless(
            management.url.origin == WebURL(issuer)?.origin, "the registration's token would be sent to \(management.url.origin)")
        try BrokenProperty.unless(
            answer["registration_access_token"]?.string == management.token.reveal(), "the registration's token differs from the response")
    }

    /// Checks the provider's introspection response.
    func check(_ view: TokenView) throws(BrokenProperty) {
        guard let isActive = evidence.document(.introspection)?["active"]?.bool else {
            throw BrokenProperty("no response that says whether the token is active was sent")
        }
        guard case .unverified(let reason) = view.verification else { throw BrokenProperty("the view does not report the introspection") }
        try BrokenProperty.unless(
            reason.english.hasSuffix(isActive ? "says that it is active" : "says that it is not active"), reason.english)
        try check(text: reason.english)
        try check(text: view.redacted.english)
    }

    /// Checks a resource's metadata.
    func check(_ finding: DiscoveredResource, of resource: WebURL) throws(BrokenProperty) {
        let metadata = finding.metadata
        guard let document = evidence.document(.resourceMetadata) else {
            // An MCP server of 2025-03-26 has none, and signs users in itself.
            let isItself = metadata.isAssumed && metadata.authorizationServers.allSatisfy { $0.url.origin == resource.origin }
            return try BrokenProperty.unless(isItself, "no JSON metadata was sent")
        }
        try BrokenProperty.unless(document["resource"]?.string == metadata.resource.text, "the metadata belongs to another resource")
        let origin = resource.origin.description
        let own = finding.challenge?["resource_metadata"] == nil ? [resource.text, origin, origin + "/"] : [resource.text]
        try BrokenProperty.unless(own.contains(metadata.resource.text), "the resource is \(metadata.resource.text)")
        let named = document["authorization_servers"]?.strings ?? []
        try BrokenProperty.unless(
            metadata.authorizationServers.allSatisfy { named.contains($0.text) }, "the metadata does not name these servers")
        try BrokenProperty.unless(metadata.authorizationServers.allSatisfy(\.url.isProtected), "tokens would be requested without TLS")
        try BrokenProperty.unless(finding.scopes.allSatisfy(ScopeSet.isScope), "a scope is invalid")
        try check(text: metadata.name ?? "")
    }

    /// Checks that the engine confirms the end of the provider's session only after a callback with the state that was sent.
    func checkReturn() throws(BrokenProperty) {
        let isRight = evidence.callbacks.contains { query in
            let pairs = FormEncoding.decode(query.prefix { $0 != "#" }) ?? []
            return pairs.filter { $0.name == "state" }.map(\.value) == [evidence.state]
        }
        try BrokenProperty.unless(evidence.state != nil && isRight, "the browser did not return with the state that was sent")
    }
}
