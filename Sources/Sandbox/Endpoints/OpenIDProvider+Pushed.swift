import AuthModel

/// An authorization request that a client pushed (RFC 9126): usable once, for a limited time.
struct PushedRequest: Sendable {
    var clientID: String
    var parameters: [(name: String, value: String)]
    var expiresAt: Timestamp
}

/// Pushed authorization requests (RFC 9126).
extension OpenIDProvider {
    func pushedAuthorization(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.pushedRequests != .off else { return .notFound }
        return answering(.pushed) {
            // Fault point: the response of the endpoint.
            let faults = faultSet.consumeFaults(PushedRequestFault.self, as: Fault.pushed)
            if let refusal = faults.lazy.compactMap(\.refusal).first { return refusal }
            do throws(OAuthError) {
                let uri = try push(request)
                let lifetime = configuration.lifetimes.pushedRequest.wholeSeconds
                let honest = SandboxResponse.json(["request_uri": .string(uri), "expires_in": .number(lifetime)], status: 201)
                let answer = faults.reduce(honest) { $1.apply($0, elsewhere: elsewhere) }
                return withNonce(answer, of: .authorizationServer, isDemand: false)
            } catch {
                return refusal(error)
            }
        }
    }

    private func push(_ request: SandboxRequest) throws(OAuthError) -> String {
        let client = try authenticatedClient(request)
        let key = try provedKey(request, by: .authorizationServer)
        // Client credentials belong to this request only.
        let credentials: Set = ["client_secret", "client_assertion", "client_assertion_type", "client_id"]
        var parameters = request.form.filter { !credentials.contains($0.name) } + [(name: "client_id", value: client.id)]
        // RFC 9449 section 10.1: the proof has the effect of dpop_jkt.
        if let key {
            let named = request.form.filter { $0.name == "dpop_jkt" }
            guard named.allSatisfy({ $0.value == key }) else {
                throw OAuthError("invalid_dpop_proof", "dpop_jkt names another key than the proof")
            }
            if named.isEmpty { parameters.append((name: "dpop_jkt", value: key)) }
        }
        do throws(AuthorizationRefusal) {
            _ = try authorizationRequest(parameters)
        } catch {
            switch error {
            case .page(let text): throw OAuthError("invalid_request", text)
            case .redirect(let error, _, _): throw error
            }
        }
        pushed = pushed.filter { now < $0.value.expiresAt }
        let uri = "urn:ietf:params:oauth:request_uri:" + Self.makeName()
        pushed[uri] = PushedRequest(clientID: client.id, parameters: parameters, expiresAt: now + configuration.lifetimes.pushedRequest)
        return uri
    }

    /// Returns the parameters of an authorization request; with a request_uri, only the pushed parameters (section 4).
    func resolvedParameters(_ parameters: [(name: String, value: String)]) throws(AuthorizationRefusal) -> [(name: String, value: String)] {
        guard configuration.pushedRequests != .off, parameters.contains(where: { $0.name == "request_uri" }) else { return parameters }
        guard let uri = SandboxRequest.single("request_uri", in: parameters), let request = pushed.removeValue(forKey: uri),
            now < request.expiresAt
        else { throw .page("This request_uri is unknown, was used before, or has expired.") }
        guard SandboxRequest.single("client_id", in: parameters) == request.clientID else {
            throw .page("This request_uri belongs to another client.")
        }
        return request.parameters
    }
}
