import AuthModel

/// The properties of a valid access token, as a resource sees them.
struct ResourceToken: Sendable {
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
    func resourceToken(_ text: String) -> ResourceToken? {
        guard let good = grants.inspect(accessToken: text, now: now), let user = user(good.authorization.username) else { return nil }
        return ResourceToken(
            subject: user.subject, username: user.username, clientID: good.authorization.clientID, scopes: good.scopes,
            resources: good.resources, key: good.key, authenticationClass: good.authorization.authenticationClass.rawValue,
            authenticatedAt: good.authorization.authenticatedAt)
    }

    /// Checks the token that a request presents.
    ///
    /// - Parameters:
    ///   - token: the properties of the presented token; `nil` if it is invalid.
    ///   - audience: the resources of which the token must name one; an empty string stands for a token that names none; `nil` accepts any
    ///     token.
    func admit(_ request: SandboxRequest, token: ResourceToken?, audience: [String]?) throws(AccessRefusal) -> ResourceToken {
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
        do throws(OAuthError) {
            guard let proved = try provedKey(request, by: .resource, accessToken: presented.token) else {
                throw OAuthError("invalid_dpop_proof", "there is no proof")
            }
            guard proved == key else { throw OAuthError("invalid_token", "the token is bound to another key") }
        } catch {
            throw AccessRefusal(error: error.code, text: error.text, wantsProof: true)
        }
        return token
    }

    /// Returns the response for a refusal, with its challenges.
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
            let scheme = faultSet.take(.proof(.schemeMixedCase)) ? "dPoP" : "DPoP"
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
