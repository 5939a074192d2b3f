internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds

/// Sends requests for provider kinds whose sessions belong to resources: selects the session and token separately for every address.
///
/// Sends a request without a token if there is none for the address, and answers a challenge as the options allow. Takes each recovery step
/// at most once per request: a renewal, a sign-in, a guest session, a request without a token.
final class ResourceScopedRequest: ResourceConversation {
    private let name: SessionName
    private let provider: ProviderConfiguration
    private let service: any SessionService
    private let response: ChallengeResponse
    private let requirement: SessionRequirement
    private let context: CommandContext
    private let dialect: any ResourceDialect
    private let gate: WebServerCredentials
    private var prompt: ConsentPrompt

    init(
        name: SessionName, provider: ProviderConfiguration, service: any SessionService, response: ChallengeResponse,
        requirement: SessionRequirement, context: CommandContext
    ) {
        self.name = name
        self.provider = provider
        self.service = service
        self.response = response
        self.requirement = requirement
        self.context = context
        dialect = provider.resourceDialect
        gate = WebServerCredentials(
            dialect: dialect, response: response, context: context, transport: ResourceTransport(provider: provider, context: context))
        prompt = ConsentPrompt(context: context)
    }

    func prepared(_ request: WebRequest) -> WebRequest { dialect.prepared(request) }

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? { dialect.failure(answer, from: url.origin.authority) }

    // MARK: One address

    /// The recovery steps taken for one request so far.
    private struct RecoverySteps {
        var hasRenewed = false
        var hasSignedIn = false
        var isGuestNow = false
        /// Why a read continues with another session than the user's that was refused; `nil` once the user is told.
        var fallback: AuthFailure?
        /// The user whose write was refused; it is sent again only with that user's session.
        var writer: SessionName?
        /// The user chose to send the request without a token.
        var skipsSignIn = false
    }

    /// The credentials of a request: a token, or none and why.
    private enum RequestCredentials {
        case grant(IssuedToken)
        case nobody(AuthFailure)

        var isNobody: Bool { if case .nobody = self { true } else { false } }
    }

    func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var detours = RecoverySteps()
        var refused: Secret?
        if requirement == .signedIn { try await requireSignedIn(for: request.url, &detours) }
        while true {
            if detours.skipsSignIn { return try await anonymously(request) }
            let standing = try await standing(for: request.url, refused: refused)
            if case .nobody(var failure) = standing, failure.kind == .signInAgain {
                refused = nil
                let isGuest = try await isGuest(after: failure, detours)
                if isGuest, detours.writer != nil { failure.summary += "; the request was not sent again as a guest" }
                if isGuest, dialect.isRead(request) {
                    // The vendor's own client does the same. `--require signed-in` prevents it.
                    detours.isGuestNow = true
                    detours.fallback = failure
                    continue
                }
                if response == .anonymous { return try await anonymously(request) }
                try await meet(failure, for: request.url, &detours)
                continue
            }
            try await requireSameUserOnRetry(of: standing, &detours)
            let answer: WebResponse
            do throws(AuthFailure) {
                // `nil`: the web server in front has only now let a request through, so the resource may answer differently. Select the
                // credentials again.
                guard let sent = try await send(request, standing) else { continue }
                answer = sent
            } catch  where mayAskForTrust(error, standing, detours) {
                // The sign-in asks the user whether to trust the server.
                try await signIn(error, for: request.url, &detours)
                continue
            }
            guard dialect.verdict(on: answer) != .taken else {
                if case .nobody(let failure) = standing { try await warnAboutMissingToken(failure) }
                return ResourceResponse(url: request.url, response: answer, isAnonymous: standing.isNobody)
            }
            switch standing {
            case .grant(let grant) where !detours.hasRenewed:
                detours.hasRenewed = true
                refused = grant.token
                if !dialect.isRead(request), try await isUser(grant.session) { detours.writer = grant.session }
            case .grant where response == .anonymous: return try await anonymously(request)
            case .nobody where response == .anonymous: return ResourceResponse(url: request.url, response: answer, isAnonymous: true)
            case .grant(let grant):
                try await meet(refusal(of: grant, answer, from: request.url), for: request.url, &detours)
                refused = nil
            case .nobody(let failure):
                try await meet(failure, for: request.url, &detours, wanting: dialect.reason(answer))
            }
        }
    }

    private func standing(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> RequestCredentials {
        var wish = TokenRequest(session: name, caller: "yett request", resource: url, refused: refused)
        wish.webServerLogin = gate.login(for: url)
        do throws(AuthFailure) {
            return .grant(try await prompt.token(wish, from: service))
        } catch  where error.kind == .security && (name.account != nil || !CredentialGate(provider).discoversServers) {
            // The user named the account, or the provider cannot have servers at other hosts. Send nothing.
            throw error
        } catch  where [.notSignedIn, .signInAgain, .security].contains(error.kind) {
            return .nobody(error)
        }
    }

    /// Sends a request with its credentials. Returns `nil` if a request without a token first had to sign in at a web server in front: then
    /// only a probe was sent, and the credentials must be selected again.
    private func send(_ request: WebRequest, _ standing: RequestCredentials) async throws(AuthFailure) -> WebResponse? {
        guard case .grant(let grant) = standing else { return try await gate.sendOrProbe(request) }
        let answer = try await gate.send(dialect.authorized(request, with: grant), with: grant)
        if let token = dialect.newToken(in: answer), token != grant.token {
            // If the token cannot be stored, the next request is refused, and that recovers the session.
            try? await service.adopt(token, inPlaceOf: grant.token, in: grant.session, from: request.url)
        }
        return answer
    }

    private func anonymously(_ request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        context.console.note("sent without a token")
        return ResourceResponse(url: request.url, response: try await gate.send(request), isAnonymous: true)
    }

    /// Warns that no token was sent, and why, if the provider has any session.
    private func warnAboutMissingToken(_ failure: AuthFailure) async throws(AuthFailure) {
        let hasSession = try await service.sessions().contains { $0.name.provider == name.provider }
        if hasSession { context.console.warning("sent without a token: \(failure.summary)") }
    }

    // MARK: Challenges

    /// Returns the failure for a resource that refused a token that was just renewed.
    private func refusal(of grant: IssuedToken, _ answer: WebResponse, from url: WebURL) async throws(AuthFailure) -> AuthFailure {
        let host = url.origin.authority
        let reason = dialect.reason(answer).map { ": \($0)" } ?? ""
        let isGuest = try await service.sessions().contains { $0.name == grant.session && $0.recordedState == .guest }
        return isGuest
            ? AuthFailure(
                .notSignedIn, "\(host) does not accept this from a guest\(reason)", hint: "sign in with: yett login \(name.provider)")
            : AuthFailure(
                .signInAgain, "\(host) also refused the renewed token\(reason)",
                hint: "sign in again with: yett login \(grant.session.shellWord)")
    }

    /// Signs in if the options allow it and no sign-in has run for this request; otherwise throws `failure`.
    private func meet(
        _ failure: AuthFailure, for url: WebURL, _ detours: inout RecoverySteps, wanting reason: String? = nil
    ) async throws(AuthFailure) {
        var failure = failure
        if let reason, failure.kind == .notSignedIn { failure.summary += "; \(url.origin.authority) says \(reason)" }
        guard response == .prompt, !detours.hasSignedIn, failure.kind != .security else { throw failure }
        try await signIn(failure, for: url, &detours)
    }

    /// Returns whether the user may be asked to trust a server that the request was not sent to.
    private func mayAskForTrust(_ failure: AuthFailure, _ standing: RequestCredentials, _ detours: RecoverySteps) -> Bool {
        guard case .nobody = standing, failure.kind == .security, provider.own?.confirmsUntrustedCertificates == true else { return false }
        return response == .prompt && !detours.hasSignedIn
    }

    private func signIn(_ failure: AuthFailure, for url: WebURL, _ detours: inout RecoverySteps) async throws(AuthFailure) {
        context.console.note("the resource requires a sign-in: \(failure.summary)")
        let options: LoginOptions
        do { options = try LoginOptions.parse([]) } catch { throw AuthFailure(.bug, "cannot create the sign-in options") }
        let wish = SignInRequest(provider: provider.name, account: name.account, resources: [url.text], replacesSession: true)
        detours.hasSignedIn = true
        do throws(AuthFailure) {
            _ = try await SignInRun(options: options, purpose: .signIn, context: context, allowsSkippingSignIn: true)
                .follow(wish, at: provider, with: service)
        } catch  where error.kind == .notNeeded {
            detours.skipsSignIn = true
        }
    }

    private func requireSignedIn(for url: WebURL, _ detours: inout RecoverySteps) async throws(AuthFailure) {
        let sessions = try await service.sessions().filter { $0.name.provider == name.provider }
        let hasSignedInSession = sessions.contains { session in
            (name.account == nil || session.name.account == name.account) && session.recordedState == .signedIn
        }
        guard !hasSignedInSession else { return }
        try await meet(
            AuthFailure(.notSignedIn, "not signed in: \(name)", hint: "sign in with: yett login \(name.provider)"), for: url, &detours)
    }

    private func isUser(_ name: SessionName) async throws(AuthFailure) -> Bool {
        try await service.sessions().contains { $0.name == name && $0.recordedState != .guest }
    }

    /// Keeps a request with the user whose token was refused: throws before a write goes out with another session, and warns when a read
    /// does.
    private func requireSameUserOnRetry(of standing: RequestCredentials, _ detours: inout RecoverySteps) async throws(AuthFailure) {
        if let fallback = detours.fallback, case .grant(let grant) = standing {
            detours.fallback = nil
            let name = try await isUser(grant.session) ? "\(grant.session)" : "a guest"
            context.console.warning("\(fallback.summary); continuing as \(name)")
        }
        guard let writer = detours.writer else { return }
        let other: String
        switch standing {
        case .grant(let grant) where grant.session == writer:
            if try await isUser(writer) { return }
            other = "a guest"
        case .grant(let grant): other = try await isUser(grant.session) ? "\(grant.session)" : "a guest"
        case .nobody: other = "an anonymous user"
        }
        throw AuthFailure(
            .signInAgain, "the request as \(writer) was refused, and is not sent again as \(other)",
            hint: "sign in again with: yett login \(writer.shellWord)")
    }

    /// Returns whether a guest session is left after a renewal failed, and may be used for this request.
    private func isGuest(after failure: AuthFailure, _ detours: RecoverySteps) async throws(AuthFailure) -> Bool {
        guard requirement == .anybody, !detours.isGuestNow, detours.hasRenewed else { return false }
        return try await service.sessions().contains {
            $0.name.provider == name.provider && (name.account == nil || $0.name.account == name.account) && $0.recordedState == .guest
        }
    }
}

/// Which sessions a request may use.
enum SessionRequirement: Sendable {
    /// Any session, including a guest session.
    case anybody
    /// A session of a signed-in user only.
    case signedIn
}
