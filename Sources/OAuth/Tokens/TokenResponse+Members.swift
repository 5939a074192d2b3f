public import AuthModel

extension TokenResponse {
    /// Returns the members of a successful response that may be stored with the user's data: all but tokens, codes, keys and secrets, at any
    /// depth.
    public static func userData(_ response: WebResponse) -> JSONValue {
        guard let document = try? JSONValue(strict: response.body), document.members != nil else { return .object([]) }
        return withoutSecrets(document)
    }

    /// Parts of the names of members with secrets.
    private static let secretWords = ["token", "secret", "password", "code", "key", "assertion", "signature"]

    private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.compactMap { member in
                    let name = member.name.asciiLowercased()
                    guard !secretWords.contains(where: { name.contains($0) }) else { return nil }
                    return .init(member.name, withoutSecrets(member.value))
                })
        case .array(let elements): .array(elements.map(withoutSecrets))
        default: value
        }
    }

    /// Returns the session's own API host: the origin that the response names at the place of the dialect, as a URL or as a host. `nil` if the
    /// dialect has no such place or the response names none.
    ///
    /// - Parameter endpoint: the token endpoint. Only one on this machine may name a host of this machine.
    /// - Throws: ``OAuthError`` for a host that no token may be sent to.
    public static func apiHost(
        _ response: WebResponse, dialect: ProviderDialect, endpoint: WebURL?
    ) throws(OAuthError) -> WebURL? {
        guard let document = try? JSONValue(strict: response.body) else { return nil }
        return try apiHost(in: document, dialect: dialect, endpoint: endpoint)
    }

    /// Returns the session's own API host in a document, which may also be userinfo's; `nil` if it names none.
    public static func apiHost(
        in document: JSONValue, dialect: ProviderDialect, endpoint: WebURL?
    ) throws(OAuthError) -> WebURL? {
        guard let path = dialect.apiHostPath, let text = path.string(in: document) else { return nil }
        let isHere = endpoint?.origin.isThisMachine == true
        guard let url = WebURL(text.contains("://") ? text : "https://\(text)"), url.isRequestable, isHere || !url.origin.isThisMachine,
            let origin = WebURL(url.origin.description)
        else { throw OAuthError(.codeExchange, .unsafeEndpoint(member: path.text), host: endpoint?.origin.authority) }
        return origin
    }
}
