import AuthModel

/// How a client showed who it is (RFC 6749 section 2.3).
extension OpenIDProvider {
    /// The client of a request to the token endpoint or one beside it.
    ///
    /// One method only, and the one that the client is registered with.
    func authenticatedClient(_ request: SandboxRequest) throws(OAuthError) -> SandboxClient {
        let failure = OAuthError("invalid_client", "the client is not who it says", status: 401)
        let formID = request.field("client_id")
        let formSecret = request.field("client_secret")
        if let header = request.header("authorization"), header.lowercased().hasPrefix("basic ") {
            guard formSecret == nil else { throw OAuthError("invalid_request", "more than one way of client authentication") }
            let pair = Base64.decodeStandard(header.dropFirst("basic ".count)).flatMap { String(validating: $0, as: UTF8.self) }
            guard let pair, let colon = pair.firstIndex(of: ":"), let id = FormEncoding.unescape(pair[..<colon]),
                let secret = FormEncoding.unescape(pair[pair.index(after: colon)...]), formID == nil || formID == id,
                let client = client(id), client.authentication == .clientSecretBasic, client.secret == Secret(secret)
            else { throw failure }
            return client
        }
        guard let formID, let client = client(formID) else { throw failure }
        switch client.authentication {
        case .none:
            guard formSecret == nil || formSecret == "" else { throw failure }
        case .clientSecretPost:
            guard let formSecret, client.secret == Secret(formSecret) else { throw failure }
        case .clientSecretBasic: throw failure
        }
        return client
    }
}
