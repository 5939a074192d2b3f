import AuthModel

/// Userinfo (OpenID Connect Core section 5.3), and the request log.
extension OpenIDProvider {
    func userInfo(_ request: SandboxRequest) -> SandboxResponse {
        answering(.userInfo) {
            let token: ResourceToken
            do throws(AccessRefusal) {
                token = try admit(request, token: request.accessToken.flatMap { resourceToken($0.token) }, audience: nil)
                guard token.scopes.contains("openid") else {
                    throw AccessRefusal(error: "insufficient_scope", status: 403, wantsProof: token.key != nil)
                }
            } catch {
                return challenge(error)
            }
            guard let user = user(token.username) else { return challenge(AccessRefusal(error: "invalid_token")) }
            let claims = JSONValue.object([.init("sub", .string(user.subject))] + self.claims(of: user, scopes: token.scopes))
            let answer = applyingFaults(userInfo: claims) { claims in
                switch configuration.userInfo {
                case .json: return .json(claims)
                case .jwt:
                    let signed = claims.setting("iss", .string(issuer)).setting("aud", .string(token.clientID))
                    guard let text = try? keys.sign(draft(signed)) else { return .text("the answer cannot be signed\n", status: 500) }
                    return .text(text, type: "application/jwt", headers: [("Cache-Control", "no-store")])
                }
            }
            return withNonce(answer, of: .resource, isDemand: false)
        }
    }

    /// `GET /__log`: returns the requests so far, if the configuration allows it.
    func requestLog(_ request: SandboxRequest) -> SandboxResponse {
        configuration.showsRequestLog ? .json(.array(log.requests.map(\.json))) : .notFound
    }
}

extension SandboxResponse {
    /// Returns a refusal with a challenge (RFC 6750 section 3).
    static func bearerChallenge(error: String?, status: Int = 401) -> SandboxResponse {
        let challenge = "Bearer realm=\"sandbox\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        var answer = SandboxResponse.json(error.map { ["error": .string($0)] } ?? [:], status: status)
        answer.setHeader("WWW-Authenticate", challenge)
        return answer
    }
}
