internal import AuthModel
internal import OAuth

/// Signs in at web servers in front of resources, by HTTP Basic or Digest. Asks the user once per server, and keeps the credentials in
/// memory only, until the command ends.
final class WebServerCredentials {
    private let dialect: any ResourceDialect
    private let mayAsk: Bool
    private let sender: ResourceTransport
    private let user: CommandLineUser
    private var logins: [Origin: WebServerLogin] = [:]

    /// The maximum number of attempts to enter a user name and a password.
    private static let tries = 3

    /// Creates a store without credentials.
    ///
    /// - Parameter mayAsk: whether the command's options allow asking the user.
    init(dialect: any ResourceDialect, mayAsk: Bool, sender: ResourceTransport, user: CommandLineUser) {
        self.dialect = dialect
        self.mayAsk = mayAsk
        self.sender = sender
        self.user = user
    }

    /// Returns the credentials that the user gave for a server before.
    func login(for url: WebURL) -> WebServerLogin? { logins[url.origin] }

    /// Sends a request. If a server in front refuses it, sends it again with credentials that the user enters.
    ///
    /// - Throws: `.notSignedIn` if the user may not be asked, `.configuration` if the server requires an unsupported scheme.
    /// - Parameter issued: the token that the request carries.
    func send(_ request: WebRequest, with issued: IssuedToken? = nil) async throws(AuthFailure) -> WebResponse {
        try await passed(request, probing: request, with: issued).answer
    }

    /// Sends a request that the caller prepares again once the server lets the user through: tests newly entered credentials by reading the
    /// address. Returns `nil` if they were accepted; then the request itself was not sent.
    func sendOrProbe(_ request: WebRequest) async throws(AuthFailure) -> WebResponse? {
        let probe = WebRequest(method: .get, url: request.url, headers: [("Accept", "application/json")])
        let (answer, wasProbe) = try await passed(request, probing: probe, with: nil)
        return wasProbe ? nil : answer
    }

    /// Sends a request and asks for credentials until a server in front accepts them.
    ///
    /// - Parameter probe: the request to send with newly entered credentials.
    private func passed(
        _ request: WebRequest, probing probe: WebRequest, with issued: IssuedToken?
    ) async throws(AuthFailure) -> (answer: WebResponse, wasProbe: Bool) {
        let origin = request.url.origin
        guard let first = try await sent(request, login: logins[origin], issued) else { throw headerConflict(origin) }
        var answer = first
        for attempt in 1...Self.tries {
            guard let challenge = answer.webServerChallenge else { return (answer, attempt > 1) }
            let scheme = try settle(challenge, of: origin)
            if logins[origin] != nil {
                logins[origin] = nil
                user.warn(UserMessage("http.login_not_accepted", ["host": origin.authority]))
            }
            if attempt == 1 { user.note(UserMessage("http.web_server_requires_sign_in", ["host": origin.authority])) }
            let login = try await user.webServerLogin(scheme, at: origin)
            guard let next = try await sent(probe, login: login, issued) else { throw headerConflict(origin) }
            answer = next
            logins[origin] = login
        }
        guard answer.webServerChallenge != nil else { return (answer, true) }
        logins[origin] = nil
        throw AuthFailure(
            .denied(code: "401"), UserMessage("http.login_refused_repeatedly", ["host": origin.authority, "count": Self.tries]),
            hint: "hint.use_web_server_login")
    }

    /// Sends a request; returns `nil` if it cannot carry both the token and the credentials.
    private func sent(
        _ request: WebRequest, login: WebServerLogin?, _ issued: IssuedToken?
    ) async throws(AuthFailure) -> WebResponse? {
        guard let request = login == nil ? request : dialect.freeingAuthorization(request) else { return nil }
        guard let issued else { return try await sender.sendAnonymously(request, login: login) }
        return try await sender.send(request, with: issued, login: login)
    }

    private func settle(_ schemes: [String], of origin: Origin) throws(AuthFailure) -> WebServerLogin.Scheme {
        let known = schemes.map { $0.asciiLowercased() }
        // Digest does not send the password.
        let scheme: WebServerLogin.Scheme? = known.contains("digest") ? .digest : known.contains("basic") ? .basic : nil
        guard let scheme else {
            let names = schemes.prefix(3).map { ServerError(code: $0).code }.joined(separator: ", ")
            throw AuthFailure(
                .configuration, UserMessage("http.web_server_scheme_unsupported", ["host": origin.authority, "schemes": names]),
                hint: "hint.ask_for_basic_or_digest")
        }
        guard mayAsk, user.canAsk else {
            throw AuthFailure(
                .notSignedIn,
                UserMessage("http.web_server_requires_login", ["host": origin.authority, "scheme": scheme.rawValue]),
                hint: "hint.run_at_terminal_with_prompt")
        }
        return scheme
    }

    private func headerConflict(_ origin: Origin) -> AuthFailure {
        AuthFailure(
            .configuration,
            UserMessage("http.web_server_header_conflict", ["host": origin.authority]),
            hint: "hint.send_without_token")
    }
}

extension WebResponse {
    /// The schemes that a web server in front accepts, in its order; `nil` if the response asks for a token or for nothing.
    fileprivate var webServerChallenge: [String]? {
        guard status == 401, tokenChallenges.isEmpty, !challenges.isEmpty else { return nil }
        return challenges.map(\.scheme)
    }
}
