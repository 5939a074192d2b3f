import AuthModel

/// The properties of a valid access token, as a resource sees them.
struct PresentedToken: Sendable {
    var subject: String
    var username: String
    var clientID: String
    var scopes: ScopeSet
    var resources: [String]
    /// The thumbprint of the key that the token is bound to.
    var key: String?
    var authenticationClass: String
    var authenticatedAt: Timestamp
}

/// The refusal of a request by a resource.
struct AccessRefusal: Error, Sendable {
    /// The error code; `nil` if the request carries no token (RFC 6750 section 3.1).
    var error: String?
    var text: String?
    var status = 401
    /// Whether the resource requires DPoP.
    var wantsProof = false
    /// More attributes of the challenge, in their order.
    var attributes: [(name: String, value: String)] = []
}

/// Access control of the protected resources (RFC 6750 section 2.1, RFC 9449 section 7.1).
extension OpenIDProvider {
    /// Returns the properties of a token of this provider; `nil` if it is invalid.
    func resourceToken(_ text: String) -> PresentedToken? {
        guard let good = grants.inspect(accessToken: text, now: now), let subject = subject(of: good.authorization) else { return nil }
        return PresentedToken(
            subject: subject, username: good.authorization.username, clientID: good.authorization.clientID, scopes: good.scopes,
            resources: good.resources, key: good.key, authenticationClass: good.authorization.authenticationClass.rawValue,
            authenticatedAt: good.authorization.authenticatedAt)
    }

    /// Checks the token that a request presents.
    ///
    /// - Parameters:
    ///   - token: the properties of the presented token; `nil` if it is invalid.
    ///   - audience: the resources of which the token must name one; an empty string stands for a token that names none; `nil` accepts any
    ///     token.
    func admit(_ request: SandboxRequest, token: PresentedToken?, audience: [String]?) throws(AccessRefusal) -> PresentedToken {
        let isRequired = configuration.proofs.support == .required
        guard let presented = request.accessToken else { throw AccessRefusal(wantsProof: isRequired) }
        let isProved = presented.scheme == .dpop || isRequired
        guard let token else { throw AccessRefusal(error: "invalid_token", text: "the token is invalid", wantsProof: isProved) }
        if let audience, !token.resources.contains(where: audience.contains), !(token.resources.isEmpty && audience.contains("")) {
            throw AccessRefusal(error: "invalid_token", text: "the token is for another resource", wantsProof: isProved)
        }
        guard let key = token.key else {
            guard !isProved else {
                throw AccessRefusal(error: "invalid_token", text: "the token is bound to no key", wantsProof: isRequired)
            }
            return token
        }
        guard presented.scheme == .dpop else {
            // RFC 9449 section 7.2: otherwise a stolen token could be used without its key.
            throw AccessRefusal(error: "invalid_token", text: "the token is bound to a key", wantsProof: true)
        }
        do throws(ErrorReply) {
            guard let proved = try provedKey(request, by: .resource, accessToken: presented.token) else {
                throw ErrorReply("invalid_dpop_proof", "there is no proof")
            }
            guard proved == key else { throw ErrorReply("invalid_token", "the token is bound to another key") }
        } catch {
            throw AccessRefusal(error: error.code, text: error.text, wantsProof: true)
        }
        return token
    }

    func challenge(_ refusal: AccessRefusal) -> SandboxResponse {
        var answer = SandboxResponse.json(
            refusal.error.map { ["error": .string($0)] } ?? [:], status: refusal.status)
        func challenge(_ scheme: String, _ more: [(name: String, value: String)]) -> String {
            var attributes: [(name: String, value: String)] = [("realm", "sandbox")]
            if let error = refusal.error { attributes.append(("error", error)) }
            // Optional, but useful here because a proof can be wrong in several ways.
            if refusal.wantsProof, let text = refusal.text { attributes.append(("error_description", text)) }
            return scheme + " " + (attributes + refusal.attributes + more).map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ", ")
        }
        let offersProofs = configuration.proofs.support != .off && refusal.error == nil
        if refusal.wantsProof || offersProofs {
            // Fault point: the spelling of the scheme.
            let scheme = faultSet.consume(.proof(.schemeMixedCase)) ? "dPoP" : "DPoP"
            answer.headers.append(
                ("WWW-Authenticate", challenge(scheme, [("algs", VerifyingKey.algorithms.joined(separator: " "))])))
        }
        if !refusal.wantsProof { answer.headers.append(("WWW-Authenticate", challenge("Bearer", []))) }
        return withNonce(answer, of: .resource, isDemand: refusal.error == "use_dpop_nonce")
    }
}

extension SandboxRequest {
    /// The scheme with which an access token is presented.
    enum TokenScheme: String {
        case bearer
        case dpop
    }

    /// The token in the `Authorization` header; `nil` if there is none of a known scheme.
    var accessToken: (scheme: TokenScheme, token: String)? {
        guard let parts = header("authorization")?.split(separator: " ", maxSplits: 1), parts.count == 2,
            let scheme = TokenScheme(rawValue: parts[0].lowercased())
        else { return nil }
        return (scheme, String(parts[1]))
    }
}

/// DPoP (RFC 9449): proofs, nonces, and the keys that tokens are bound to.
extension OpenIDProvider {
    /// The servers that check proofs, each with its own records.
    enum ProofVerifier: Hashable {
        case authorizationServer
        case resource
    }

    /// Returns the key that a request proves; `nil` if it has no proof, or proofs are turned off.
    func provedKey(_ request: SandboxRequest, by taker: ProofVerifier, accessToken: String? = nil) throws(ErrorReply) -> String? {
        guard configuration.proofs.support != .off else { return nil }
        let headers = request.headers.filter { $0.name.lowercased() == "dpop" }.map(\.value)
        guard let text = headers.first else {
            guard configuration.proofs.support == .required else { return nil }
            throw ErrorReply("invalid_dpop_proof", "a proof is required")
        }
        guard headers.count == 1 else { throw ErrorReply("invalid_dpop_proof", "there is more than one proof") }
        let proof = try PossessionProof(
            text, method: request.method, url: origin + request.path, accessToken: accessToken, now: now)
        let demand = ErrorReply("use_dpop_nonce", "a nonce of this server is required")
        // Fault point: a nonce that is never accepted.
        if faultSet.consume(.proof(taker == .resource ? .resourceNonceForEver : .nonceForEver)) { throw demand }
        if nonces(of: taker) != .none {
            guard let nonce = proof.nonce, nonce == proofRecords[taker]?.nonce else { throw demand }
        }
        guard proofRecords[taker, default: ProofRecords()].accept(proof, now: now) else {
            throw ErrorReply("invalid_dpop_proof", "the proof was used before")
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
    func refusal(_ error: ErrorReply) -> SandboxResponse {
        withNonce(.error(error), of: .authorizationServer, isDemand: error.code == "use_dpop_nonce")
    }

    /// Fault point: whether tokens are bound to the proved key.
    func applyingFaults(binding issued: Grants.Issued) -> Grants.Issued {
        guard issued.key != nil, faultSet.consume(.proof(.downgrade)) else { return issued }
        var issued = issued
        issued.key = nil
        grants.accessTokens[issued.accessToken]?.key = nil
        return issued
    }
}
