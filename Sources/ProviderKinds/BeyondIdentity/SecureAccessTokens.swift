internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// The tokens of a user in the management API of Beyond Identity's newer generation.
struct SecureAccessTokens: RemoteTokenList {
    /// The URL of the list.
    let list: WebURL
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let provider: OpenIDAdapter

    /// The maximum number of pages that are fetched of the list.
    private static let pageLimit = 20

    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken] {
        var tokens: [RemoteToken] = []
        var page: String?
        for _ in 0..<Self.pageLimit {
            var query = [("principal_type", "identity"), ("principal_id", record.identity.subject)]
            if let page { query.append(("page_token", page)) }
            guard let url = list.appending(query: query) else { throw AuthFailure(.configuration, "beyond_identity.tokens_url_too_long") }
            let answer = try await manage(.get, url, of: record, to: "phrase.list_tokens")
            guard let members = answer["tokens"]?.array else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("beyond_identity.no_list_of_tokens", ["host": list.origin.authority]),
                    hint: "hint.beyond_identity_check_tokens_url")
            }
            tokens += members.compactMap(RemoteToken.init(secureAccess:))
            page = answer["next_page_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            if page == nil { return tokens }
        }
        return tokens
    }

    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> SessionTokenState {
        guard !id.isEmpty, id.utf8.allSatisfy({ $0.isIdentifierByte }), let url = WebURL(list.text + "/" + id) else {
            throw AuthFailure(
                .usage, "token.no_such_name", hint: UserMessage("hint.list_remote_tokens", ["session": record.summary.name]))
        }
        _ = try await manage(.delete, url, of: record, to: "phrase.revoke_token")
        guard let tokens = record.tokens, try await isAlive(tokens.accessToken, .access) else { return .ended }
        guard let refreshToken = tokens.refreshToken else { return .alive }
        return try await isAlive(refreshToken, .refresh) ? .alive : .notRenewable
    }

    /// Whether the provider still accepts a token of the session (RFC 7662); `true` if it has no introspection endpoint.
    private func isAlive(_ token: Secret, _ kind: TokenRevocation.TokenKind) async throws(AuthFailure) -> Bool {
        let metadata = try await provider.documents.metadata()
        guard metadata.introspectionEndpoint != nil else { return true }
        let client = try await provider.client(metadata)
        do {
            let request = try Introspection.request(token, kind, at: metadata, client: client)
            let response = try await provider.send(request)
            return try Introspection.answer(response, host: configuration.issuer?.url.origin.authority, now: environment.time.now).isActive
        } catch let error as OAuthError {
            throw error.failure
        } catch let error as AuthFailure {
            throw error
        } catch {
            throw AuthFailure(.bug, "introspection.unexpected_error")
        }
    }

    /// Sends a request to the management API with the session's access token.
    private func manage(
        _ method: WebRequest.Method, _ url: WebURL, of record: SessionRecord, to purpose: UserMessage
    ) async throws(AuthFailure) -> JSONValue {
        guard let token = record.tokens?.accessToken else {
            throw AuthFailure(
                .signInAgain, UserMessage("session.ended", ["session": record.summary.name]),
                hint: UserMessage("hint.sign_in_again", ["provider": configuration.name]))
        }
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        let response = try await environment.transport.send(
            WebRequest(
                method: method, url: url,
                headers: [("Accept", "application/json"), ("Authorization", "Bearer \(token.reveal())")]), policy: policy)
        return try SecureAccessAnswer.read(response, from: url.origin.authority, to: purpose)
    }
}

extension UInt8 {
    /// Whether the byte may be part of a token's ID without changing the path of the URL.
    fileprivate var isIdentifierByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
