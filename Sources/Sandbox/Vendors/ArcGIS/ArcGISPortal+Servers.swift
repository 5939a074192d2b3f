import AuthModel

/// The servers besides the portal.
extension ArcGISPortal {
    static let publicService = "Streets"
    static let privateService = "Traffic"

    func serverInfo(_ request: SandboxRequest, server: String) -> SandboxResponse {
        behindWebTier(request, server: server) {
            answering(request) {
                let federation = server == Self.federatedServer ? settings.federation : .none
                var members: [JSONValue.Member] = [.init("currentVersion", .number("11.3"))]
                switch federation {
                case .here: members.append(.init("owningSystemUrl", .string(origin)))
                case .elsewhere: members.append(.init("owningSystemUrl", "https://other-portal.example/portal"))
                case .none: break
                }
                let tokenService =
                    switch federation {
                    case .here: origin + Self.rest + "/generateToken"
                    case .elsewhere: "https://other-portal.example/portal/sharing/rest/generateToken"
                    case .none: origin + server + "/tokens/generateToken"
                    }
                members.append(
                    .init(
                        "authInfo",
                        [
                            "isTokenBasedSecurity": true, "tokenServicesUrl": .string(tokenService), "shortLivedTokenValidity": 60,
                        ]))
                return .object(members)
            }
        }
    }

    /// Lists the public service for all requests; the private one for users only.
    func services(_ request: SandboxRequest, server: String) -> SandboxResponse {
        behindWebTier(request, server: server) {
            answering(request) { () throws(ArcGISError) in
                let names = try user(of: request, server: server) == nil ? [Self.publicService] : [Self.publicService, Self.privateService]
                return ["services": .array(names.map { ["name": .string($0), "type": "MapServer"] })]
            }
        }
    }

    func service(_ request: SandboxRequest, server: String) -> SandboxResponse {
        behindWebTier(request, server: server) {
            answering(request) { () throws(ArcGISError) in
                let requester = try user(of: request, server: server)
                guard let name = request.segments["name"], [Self.publicService, Self.privateService].contains(name) else {
                    throw .missing("Service")
                }
                guard name == Self.publicService || requester != nil else { throw .tokenRequired }
                return ["mapName": .string(name), "capabilities": "Map,Query", "user": requester.map { .string($0.username) } ?? .null]
            }
        }
    }

    /// Simulates the web server in front of `/server`, which may require HTTP authentication first.
    private func behindWebTier(_ request: SandboxRequest, server: String, _ answer: () -> SandboxResponse) -> SandboxResponse {
        guard server == Self.federatedServer else { return answer() }
        let field = request.header("Authorization") ?? ""
        switch settings.webTier {
        case .open: return answer()
        case .basic:
            if WebTierAccount.basic(field) != nil { return answer() }
            return .text("Unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"sandbox web tier\"")])
        case .digest:
            if WebTierAccount.digest(field, method: request.method) != nil { return answer() }
            return .text(
                "Unauthorized\n", status: 401,
                headers: [("WWW-Authenticate", "Digest realm=\"\(WebTierAccount.realm)\", nonce=\"\(WebTierAccount.nonce)\", qop=\"auth\"")]
            )
        }
    }
}
