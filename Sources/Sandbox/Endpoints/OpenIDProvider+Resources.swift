import AuthModel

/// Userinfo (OpenID Connect Core section 5.3) and a protected resource to try a token at (RFC 6750).
extension OpenIDProvider {
    func userInfo(_ request: SandboxRequest) -> Answer {
        answering(.userInfo) {
            guard let good = request.bearer.flatMap({ grants.inspect(accessToken: $0, now: now) }),
                let person = person(good.authorization.username)
            else { return .bearerChallenge(error: request.bearer == nil ? nil : "invalid_token") }
            guard good.scopes.contains("openid") else { return .bearerChallenge(error: "insufficient_scope", status: 403) }
            let claims = JSONValue.object([.init("sub", .string(person.subject))] + self.claims(of: person, scopes: good.scopes))
            return faulty(userInfo: claims) { claims in
                switch configuration.userInfo {
                case .json: return .json(claims)
                case .jwt:
                    let signed = claims.setting("iss", .string(issuer)).setting("aud", .string(good.authorization.clientID))
                    guard let token = try? keys.sign(draft(signed)) else { return .text("the answer cannot be signed\n", status: 500) }
                    return .text(token, type: "application/jwt", headers: [("Cache-Control", "no-store")])
                }
            }
        }
    }

    /// `/api/hello`: greets whoever the token stands for.
    func hello(_ request: SandboxRequest) -> Answer {
        answering(.resource) {
            guard let good = request.bearer.flatMap({ grants.inspect(accessToken: $0, now: now) }),
                let person = person(good.authorization.username)
            else { return .bearerChallenge(error: request.bearer == nil ? nil : "invalid_token") }
            return .json([
                "hello": .string(person.name), "sub": .string(person.subject), "client_id": .string(good.authorization.clientID),
                "scope": .string(good.scopes.wire),
            ])
        }
    }

    /// `GET /__log`: the requests so far, where the configuration allows it.
    func requestLog(_ request: SandboxRequest) -> Answer {
        configuration.showsRequestLog ? .json(.array(log.requests.map(\.json))) : .notFound
    }
}

extension Answer {
    /// A refusal with a challenge (RFC 6750 section 3).
    static func bearerChallenge(error: String?, status: Int = 401) -> Answer {
        let challenge = "Bearer realm=\"sandbox\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        var answer = Answer.json(error.map { ["error": .string($0)] } ?? [:], status: status)
        answer.setHeader("WWW-Authenticate", challenge)
        return answer
    }
}
