internal import AuthEngine
internal import AuthModel

/// The data of an ArcGIS session other than its tokens, sealed together with them.
struct ArcGISExtras: Equatable {
    /// When the refresh token was issued. It is exchanged before it expires.
    var refreshIssuedAt: Timestamp?
    /// The redirect URI of the sign-in, which an exchange must repeat.
    var redirectURI: String?
    /// The `Referer` that tokens of a password sign-in are bound to.
    var referer: String?
    /// The tokens of federated servers, by the URL of the server.
    var servers: [String: ServerToken] = [:]

    /// The portal of the session: the issuer of the portal's own sessions, and the provider of a stand-alone server's session. `nil` in
    /// sessions that were stored before this property existed.
    var portal: String?

    /// The certificate that the user allowed for its server.
    var allowed: ServerCertificate?

    struct ServerToken: Equatable {
        var token: Secret
        var expiresAt: Timestamp
    }

    init() {}

    init(_ extras: JSONValue) {
        refreshIssuedAt = extras["refresh_issued_at"]?.integer.map(Timestamp.init(milliseconds:))
        redirectURI = extras["redirect_uri"]?.string
        referer = extras["referer"]?.string
        portal = extras["portal"]?.string
        allowed = ServerCertificate(json: extras["certificate"])
        for member in extras["servers"]?.members ?? [] {
            guard let token = member.value["token"]?.string, let end = member.value["expires"]?.integer else { continue }
            servers[member.name] = ServerToken(token: Secret(token), expiresAt: Timestamp(milliseconds: end))
        }
    }

    /// The JSON value that is stored in the session's record.
    var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let refreshIssuedAt { members.append(.init("refresh_issued_at", .number(refreshIssuedAt.milliseconds))) }
        if let redirectURI { members.append(.init("redirect_uri", .string(redirectURI))) }
        if let referer { members.append(.init("referer", .string(referer))) }
        if let portal { members.append(.init("portal", .string(portal))) }
        if let allowed { members.append(.init("certificate", allowed.json)) }
        if !servers.isEmpty {
            members.append(
                .init(
                    "servers",
                    .object(
                        servers.sorted { $0.key < $1.key }.map { server in
                            .init(
                                server.key,
                                [
                                    "token": .string(server.value.token.reveal()), "expires": .number(server.value.expiresAt.milliseconds),
                                ])
                        })))
        }
        return .object(members)
    }
}
