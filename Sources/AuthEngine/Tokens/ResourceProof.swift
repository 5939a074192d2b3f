import AuthModel
import OAuth
import SessionStore

/// Signs DPoP proofs with the keys of sessions (RFC 9449).
struct ResourceProof: Sendable {
    let context: EngineContext
    let policyCheck: TokenPolicyCheck

    /// Returns a DPoP proof for one request to a resource, signed with the session's key (RFC 9449 section 7.1).
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        let record = try await context.sessions.record(request.session)
        try context.providers.requireOwn(record)
        try await policyCheck.admit(request, of: record)
        guard let key = SessionExtras(record.extras).dpopKey else {
            throw AuthFailure(
                .configuration, UserMessage("token.not_bound_to_key", ["session": record.summary.name]), hint: "hint.send_as_bearer")
        }
        guard let method = WebRequest.Method(rawValue: request.method) else {
            throw AuthFailure(.usage, UserMessage("http.unknown_method", ["method": request.method]))
        }
        let url = try CredentialGate.normalized(request.url)
        var random = SystemRandomNumberGenerator()
        do {
            let proved = try WebRequest(method: method, url: url).proved(
                by: key, accessToken: request.accessToken, nonce: request.nonce, now: context.time.now, using: &random)
            return proved.headers.first { $0.name == "DPoP" }?.value ?? ""
        } catch {
            throw error.failure
        }
    }
}
