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

/// The portal's content and users.
extension ArcGISPortal {
    nonisolated func portalInfo(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) {
            [
                "owningSystemUrl": .string(origin),
                "authInfo": ["tokenServicesUrl": .string(origin + Self.rest + "/generateToken"), "isTokenBasedSecurity": true],
            ]
        }
    }

    func portalSelf(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { () throws(ArcGISError) in
            var members: [JSONValue.Member] = [
                .init("id", "0123456789ABCDEF"), .init("name", "The sandbox's organisation"), .init("isPortal", true),
                .init("portalHostname", .string(String(origin.dropFirst("http://".count)))), .init("authorizedCrossOriginDomains", []),
            ]
            if let requester = try user(of: request), !settings.hidesUser { members.append(.init("user", Self.document(of: requester))) }
            return .object(members)
        }
    }

    func communitySelf(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { () throws(ArcGISError) in
            guard let requester = try user(of: request) else { throw .tokenRequired }
            return Self.document(of: requester)
        }
    }

    /// Returns the public items for all requests; all items for users.
    func search(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { () throws(ArcGISError) in
            let items = try user(of: request) == nil ? [Self.publicItem] : [Self.publicItem, Self.privateItem]
            return ["total": .number(items.count), "results": .array(items.map(Self.document(ofItem:)))]
        }
    }

    func item(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { () throws(ArcGISError) in
            let requester = try user(of: request)
            guard let id = request.segments["id"], [Self.publicItem, Self.privateItem].contains(id) else { throw .missing("Item") }
            guard id == Self.publicItem || requester != nil else { throw .tokenRequired }
            return Self.document(ofItem: id)
        }
    }

    private static func document(ofItem id: String) -> JSONValue {
        [
            "id": .string(id), "type": "Web Map", "owner": "ada", "access": id == publicItem ? "public" : "private",
            "title": id == publicItem ? "Streets" : "Traffic",
        ]
    }

    /// Returns the profile of a user. Ada is the only administrator of the organisation.
    private static func document(of user: SandboxUser) -> JSONValue {
        [
            "username": .string(user.username), "fullName": .string(user.name), "email": .string(user.email),
            "orgId": "0123456789ABCDEF", "role": user.username == "ada" ? "org_admin" : "org_user",
            "privileges": ["portal:user:viewOrgItems"], "created": 1_700_000_000_000, "modified": 1_750_000_000_000, "units": "metric",
            "access": "org", "tags": [], "provider": "arcgis", "mfaEnabled": false, "lastLogin": 1_795_000_000_000,
        ]
    }
}
