import AuthModel

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
