import AuthEngine
import AuthModel
import Fuzzing
import Localization
import OAuth
import SessionStore

/// Operations other than signing in, renewing and revoking.
extension HostileTestRunner {
    func register(_ parts: EngineParts) async throws -> AuthFailure? {
        let registration = ClientRegistration(name: "Yett", redirectURIs: ["http://127.0.0.1/callback"])
        guard let issuer = Issuer(provider.issuer) else { throw BrokenProperty("the provider has no issuer") }
        let engine = parts.engine()
        let client: RegisteredClient
        do throws(AuthFailure) {
            let metadata = try await metadata(of: issuer, parts)
            client = try await ClientRegistrar(transport: parts.transport, time: parts.time, service: engine).register(
                registration, at: metadata)
        } catch {
            try validator.check(error)
            return error
        }
        try validator.check(client, registration)
        let isGone: Bool
        do throws(AuthFailure) {
            isGone = try await engine.unregister(client.clientID, at: issuer, caFile: nil)
        } catch {
            try validator.check(error)
            return error
        }
        try BrokenProperty.unless(isGone == (client.management != nil), "the registration's management data was lost")
        return nil
    }

    private func metadata(of issuer: Issuer, _ parts: EngineParts) async throws(AuthFailure) -> ProviderMetadata {
        let location = ProviderMetadata.locations(of: issuer, kind: .oidc)[0]
        let response = try await parts.transport.send(ProviderMetadata.request(location), policy: .standard)
        do {
            return try ProviderMetadata(response, issuer: issuer, requirement: .openID, now: parts.time.now)
        } catch {
            throw error.failure
        }
    }

    func introspect(_ parts: EngineParts, _ before: SessionRecord) async throws -> AuthFailure? {
        guard let token = before.tokens?.accessToken else { throw BrokenProperty("the honest session has no token") }
        let view: TokenView
        do throws(AuthFailure) {
            view = try await parts.engine().inspect(token, at: parts.name)
        } catch {
            try validator.check(error)
            try await checkNothingChanged(parts, before)
            return error
        }
        try validator.check(view)
        return nil
    }

    func discoverResource(_ parts: EngineParts) async throws -> AuthFailure? {
        guard let resource = WebURL(provider.issuer + "/mcp") else { throw BrokenProperty("the resource has no address") }
        let discovery = ResourceDiscovery(transport: parts.transport, time: parts.time)
        let finding: DiscoveredResource
        do throws(AuthFailure) {
            finding = try await discovery.resource(at: resource)
        } catch {
            try validator.check(error)
            return error
        }
        try validator.check(finding, of: resource)
        return nil
    }

    func endSession(_ parts: EngineParts, _ before: SessionRecord) async throws -> AuthFailure? {
        let engine = parts.engine()
        let receipt = try await engine.signOut(before.summary.name, mode: .endBrowserSession)
        try BrokenProperty.unless(try await parts.store.record(before.summary.name) == nil, "a signed-out session still exists")
        try validator.check(text: "\(receipt.browserURL?.text ?? "") \(receipt.shownURL?.text ?? "")")
        var outcome = receipt.entries.first { $0.step == .endBrowserSession }?.outcome
        if let way = receipt.browserReturn, let url = receipt.browserURL {
            Task { await Browser().visit(url) }
            outcome = try await engine.browserReturn(way.id)
        }
        switch outcome {
        case .done:
            try validator.checkReturn()
            return nil
        case .failed(let reason, _), .skipped(let reason), .unconfirmed(let reason):
            let word = AuthFailure(.unavailable(retryAfter: nil), text: reason.english, hint: "see the receipt")
            try validator.check(word)
            return word
        case nil: throw BrokenProperty("the receipt does not mention the provider's session")
        }
    }
}
