internal import AuthModel

/// What is remembered of an ArcGIS session beside its tokens, under the same seal.
struct ArcGISExtras: Equatable {
    /// When the refresh token was issued: it is exchanged before its end.
    var refreshIssuedAt: Timestamp?
    /// The redirect URI of the sign-in, which an exchange says again.
    var redirectURI: String?
    /// The page that tokens of a password are bound to.
    var referer: String?
    /// Tokens of federated servers, by the address of the server.
    var servers: [String: ServerToken] = [:]

    /// The portal that the session was made for: it is the issuer of its own sessions, and names the provider of a server that stands
    /// alone. `nil` in sessions that are older than this note.
    var portal: String?

    /// The certificate that the person let stand for its server.
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

    /// As it is kept in the session's record.
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
