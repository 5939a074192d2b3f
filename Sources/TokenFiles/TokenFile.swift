package import AuthModel

/// A file that the agent keeps filled with a fresh token, for a program that reads its token from a file.
package struct TokenFile: Equatable, Sendable {
    /// The absolute path.
    package let path: String
    /// The session.
    package let session: SessionName
    /// The type of the token.
    package let wanted: TokenRequest.Wanted
    /// The scopes and the audience of the token.
    package let restrictions: TokenRestrictions

    /// Creates a file.
    package init(path: String, session: SessionName, wanted: TokenRequest.Wanted = .access, restrictions: TokenRestrictions = .session) {
        self.path = path
        self.session = session
        self.wanted = wanted
        self.restrictions = restrictions
    }

    /// The request for the token. The user is not asked: the token is renewed while no one is there.
    func request(minimumValidity: Duration) -> TokenRequest {
        var request = TokenRequest(
            session: session, wanted: wanted, minimumValidity: minimumValidity, restrictions: restrictions,
            caller: .verbatim("yett token --file"))
        request.asking = .noPrompt
        request.destination = path
        return request
    }

    /// The file as JSON, for the list and for `yett files --json`.
    package var json: JSONValue {
        .members(
            ("path", .string(path)), ("session", .string(session.description)), ("kind", .string(wanted.rawValue)),
            ("scopes", JSONValue(restrictions.scopes.values)), ("audience", JSONValue(restrictions.audience)))
    }

    /// Reads a file from the list; `nil` if the value is none.
    init?(json: JSONValue) {
        guard let path = json["path"]?.string, path.hasPrefix("/"), let session = json["session"]?.string.flatMap({ SessionName($0) }),
            let wanted = json["kind"]?.string.flatMap(TokenRequest.Wanted.init(rawValue:)), let scopes = json["scopes"]?.strings
        else { return nil }
        self.init(
            path: path, session: session, wanted: wanted,
            restrictions: TokenRestrictions(scopes: ScopeSet(scopes), audience: json["audience"]?.string))
    }
}
