import AuthModel

/// DPoP (RFC 9449): proofs, nonces, and the keys that tokens are bound to.
extension OpenIDProvider {
    /// The servers that check proofs, each with its own records.
    enum ProofVerifier: Hashable {
        case authorizationServer
        case resource
    }

    /// Returns the key that a request proves; `nil` if it has no proof, or proofs are turned off.
    func provedKey(_ request: SandboxRequest, by taker: ProofVerifier, accessToken: String? = nil) throws(OAuthError) -> String? {
        guard configuration.proofs.support != .off else { return nil }
        let headers = request.headers.filter { $0.name.lowercased() == "dpop" }.map(\.value)
        guard let text = headers.first else {
            guard configuration.proofs.support == .required else { return nil }
            throw OAuthError("invalid_dpop_proof", "a proof is required")
        }
        guard headers.count == 1 else { throw OAuthError("invalid_dpop_proof", "there is more than one proof") }
        let proof = try PossessionProof(
            text, method: request.method, url: origin + request.path, accessToken: accessToken, now: now)
        let demand = OAuthError("use_dpop_nonce", "a nonce of this server is required")
        // Fault point: a nonce that is never accepted.
        if faultSet.take(.proof(taker == .resource ? .resourceNonceForEver : .nonceForEver)) { throw demand }
        if nonces(of: taker) != .none {
            guard let nonce = proof.nonce, nonce == proofRecords[taker]?.nonce else { throw demand }
        }
        guard proofRecords[taker, default: ProofRecords()].accept(proof, now: now) else {
            throw OAuthError("invalid_dpop_proof", "the proof was used before")
        }
        return proof.key
    }

    private func nonces(of taker: ProofVerifier) -> SandboxConfiguration.Proofs.Nonces {
        switch taker {
        case .authorizationServer: configuration.proofs.authorizationServerNonces
        case .resource: configuration.proofs.resourceNonces
        }
    }

    /// Adds a nonce to a response if it needs one (section 8).
    ///
    /// - Parameter isDemand: whether the response demands a nonce.
    func withNonce(_ answer: SandboxResponse, of taker: ProofVerifier, isDemand: Bool) -> SandboxResponse {
        guard isDemand || (configuration.proofs.support != .off && nonces(of: taker) == .rotating) else { return answer }
        // Fault point: the nonce.
        let faults = faultSet.consumeFaults(ProofFault.self, where: \.affectsNonces, as: Fault.proof)
        let isNew = nonces(of: taker) == .rotating || proofRecords[taker]?.nonce == nil || !faults.isEmpty
        let nonce = isNew ? faults.reduce(Self.makeName()) { $1.apply(nonce: $0) } : proofRecords[taker]?.nonce ?? ""
        proofRecords[taker, default: ProofRecords()].nonce = nonce
        var answer = answer
        if !faults.contains(.nonceMissing) { answer.headers.append(("DPoP-Nonce", nonce)) }
        return answer
    }

    /// Returns an error of the token endpoint or a similar one, with the nonce that it may demand.
    func refusal(_ error: OAuthError) -> SandboxResponse {
        withNonce(.error(error), of: .authorizationServer, isDemand: error.code == "use_dpop_nonce")
    }

    /// Fault point: whether tokens are bound to the proved key.
    func applyingFaults(binding issued: Grants.Issued) -> Grants.Issued {
        guard issued.key != nil, faultSet.take(.proof(.downgrade)) else { return issued }
        var issued = issued
        issued.key = nil
        grants.accessTokens[issued.accessToken]?.key = nil
        return issued
    }
}
