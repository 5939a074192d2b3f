import AuthEngine
import AuthModel
import OAuth

/// The browser flow (RFC 8252), on this machine or on the one where the user sits. The provider redirects the browser to a loopback port
/// that is open for this attempt only. The user may also paste the redirect URL, wherever the browser ran.
struct BrowserFlow: SignInFlow {
    private let listener: LoopbackListener
    private let receiver: CallbackReceiver<AuthorizationCallbackValidator>
    /// Reports when the URL for the browser has expired.
    private let watch: @Sendable () async -> Void

    /// Opens the port and reports the sign-in methods.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> BrowserFlow {
        let rules = signIn.configuration.redirects.filter(\.redirectsToThisMachine)
        let listener = try await LoopbackListener.bind(rules: rules, port: signIn.request.port)
        do throws(AuthFailure) {
            let prepared = try await signIn.prepareAuthorization(redirectURI: listener.redirectURI)
            let validator = AuthorizationCallbackValidator(pending: prepared.pending, page: listener.redirectURI)
            let receiver = CallbackReceiver(validator, report: signIn.attempt.report)
            listener.reportForeignCallbacks { Task { await receiver.recordForeignCallback() } }
            await signIn.attempt.acceptPastes(for: receiver)
            signIn.reportBrowser(prepared.url, redirect: listener.redirectURI)
            let surroundings = signIn.request.surroundings ?? signIn.adapter.environment.surroundings
            if let server = surroundings.sshServer, let port = listener.rule.port {
                signIn.attempt.report(.available(.sshForward(command: server.forwarding(port: port, to: listener.rule.host))))
            }
            signIn.attempt.report(.available(.paste))
            return BrowserFlow(listener: listener, receiver: receiver) { await signIn.warnWhenExpired(prepared.lifetime) }
        } catch {
            await listener.close()
            throw error
        }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        await receiver.answer(at: listener, beside: watch).map(FlowOutcome.callback)
    }

    func close() async { await listener.close() }

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}

/// The manual flow, for a browser on another machine, without a port on this one. The user pastes the whole URL that the browser ended on,
/// or, for an out-of-band redirect, the code that the provider's page showed. Only the answer to this attempt is accepted.
struct ManualFlow: SignInFlow {
    private let receiver: CallbackReceiver<AuthorizationCallbackValidator>
    /// Reports when the URL for the browser has expired.
    private let watch: @Sendable () async -> Void

    /// Opens the flow and reports the sign-in methods.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> ManualFlow {
        let rule = signIn.configuration.redirects.first ?? .standard
        // This program does not listen there, so any port works. A random one is less likely to belong to another program.
        let redirectURI = rule.uri(port: signIn.request.port ?? rule.port ?? Int.random(in: 49_152...65_535))
        let prepared = try await signIn.prepareAuthorization(redirectURI: redirectURI)
        let validator = AuthorizationCallbackValidator(pending: prepared.pending, page: redirectURI)
        let receiver = CallbackReceiver(validator, report: signIn.attempt.report)
        await signIn.attempt.acceptPastes(for: receiver)
        signIn.reportBrowser(prepared.url, redirect: redirectURI)
        signIn.attempt.report(.available(.paste))
        return ManualFlow(receiver: receiver) { await signIn.warnWhenExpired(prepared.lifetime) }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        let watching = Task { await watch() }
        defer { watching.cancel() }
        return await receiver.finalOutcome().map(FlowOutcome.callback)
    }

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}

/// Validates callbacks of an authorization request.
struct AuthorizationCallbackValidator: CallbackValidator {
    let pending: PendingAuthorization
    /// The address that the browser ends on: the redirect URI, unless the service has a name for it.
    let page: String

    func validate(_ query: String) -> CallbackOutcome<ValidatedCallback> {
        switch AuthorizationResponse(query: query, for: pending) {
        case .accepted(let callback): .accepted(callback)
        case .denied(let error): .denied(error.failure)
        case .refused(let error): .refused(error.failure)
        case .ignored(let reason): .ignored(reason: reason.message)
        }
    }

    /// Reads a pasted redirect URL, or its query alone. If the redirect is out of band, reads the code that the provider's page showed.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<ValidatedCallback> {
        if case .accepted(let callback)? = AuthorizationResponse(shownCode: text[...], for: pending) { return .answer(callback) }
        // The page of a web client may show the code and the state with "#" between them.
        let shown = text.split(separator: "#", omittingEmptySubsequences: false)
        if shown.count == 2, !text.contains(where: { "?=&/".contains($0) }), Secret(String(shown[1])) == pending.state {
            return .query(FormEncoding.encode([(pending.codeParameter, String(shown[0])), ("state", String(shown[1]))]))
        }
        if let error = errorInFragment(of: text) { return .query(error) }
        guard let mark = text.firstIndex(of: "?") else {
            guard text.contains("=") else { throw .pastedNoAddress(insteadOf: page) }
            return .query(String(text.prefix { $0 != "#" }))
        }
        guard isRedirect(text[..<mark]) else { throw .pastedWrongURL(than: page) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    /// Returns the error in the fragment of the redirect URI: some servers answer there if they take the request for one of another flow.
    /// No browser sends a fragment to this program, and no code is read from one.
    private func errorInFragment(of text: String) -> String? {
        guard let mark = text.firstIndex(of: "#"), isRedirect(text[..<mark]) else { return nil }
        let fragment = String(text[text.index(after: mark)...])
        return FormEncoding.decode(fragment)?.contains { $0.name == "error" } == true ? fragment : nil
    }

    /// Whether an address without its query is the redirect URI. A browser shows one without a path with a slash.
    private func isRedirect(_ address: Substring) -> Bool {
        address == page || (WebURL(page)?.path.isEmpty == true && address == page + "/")
    }

    /// A provider that does not know the redirect URI tells only the browser, and does not return.
    var timeoutHint: UserMessage { UserMessage("hint.redirect_may_be_unregistered", ["redirect": page]) }

    var unexpectedPaste: AuthFailure {
        AuthFailure(
            .security, "callback.pasted_address_of_other_sign_in",
            hint: "hint.paste_current_address")
    }

    func timedOut(after answers: UserMessage) -> AuthFailure {
        AuthFailure(
            .security, UserMessage("sign_in.timed_out_ignored_responses", ["responses": answers]),
            hint: "hint.other_program_interferes")
    }
}

/// The device flow (RFC 8628): the user types a code on the provider's page, on any device with a browser. `DevicePolling` decides when to
/// poll and when to stop. The device code is sent to the provider only.
struct DeviceFlow: SignInFlow {
    private let signIn: OpenIDSignIn
    private let authorization: DeviceAuthorization
    /// The boot time when the provider's answer with the codes arrived.
    private let startedAt: Duration

    /// Requests the codes from the provider, and reports the sign-in method.
    ///
    /// - Parameter isOnlyFlow: whether its page is the one that the user signs in at.
    static func open(in signIn: OpenIDSignIn, isOnlyFlow: Bool = false) async throws(AuthFailure) -> DeviceFlow {
        let (endpoint, tokens) = (signIn.metadata.deviceAuthorizationEndpoint, signIn.deviceTokenEndpoint)
        try signIn.requireSite(of: endpoint, tokens: tokens)
        let scopes = signIn.scopes
        var parameters = signIn.configuration.extraParameters
        if let claims = signIn.request.claims { parameters["claims"] = claims }
        func ask(_ verifier: Secret?) async throws(AuthFailure) -> (response: WebResponse, client: OAuthClient) {
            try await signIn.adapter.ask(signIn.metadata) { [parameters] (client) throws(OAuthError) in
                try DeviceAuthorization.request(
                    scopes: scopes, resources: signIn.namedResources, acrValues: signIn.request.acrValues, maxAge: signIn.request.maxAge,
                    uiLocales: signIn.request.uiLocales, extraParameters: parameters, verifier: verifier, at: signIn.metadata,
                    client: client)
            }
        }
        var random = SystemRandomNumberGenerator()
        let isKnownToWantPKCE = signIn.configuration.dialect.device.pkce == .required
        var verifier = isKnownToWantPKCE ? DeviceAuthorization.verifier(using: &random) : nil
        var (response, client) = try await ask(verifier)
        if verifier == nil, DeviceAuthorization.wantsPKCE(response) {
            verifier = DeviceAuthorization.verifier(using: &random)
            (response, client) = try await ask(verifier)
        }
        let authorization: DeviceAuthorization
        do {
            authorization = try DeviceAuthorization(
                response, from: signIn.metadata, client: client, scopes: scopes, resources: signIn.namedResources, verifier: verifier,
                now: signIn.time.now)
        } catch {
            throw error.failure
        }
        try signIn.requireSite(of: authorization.page, namedBy: endpoint, tokens: tokens)
        let flow = DeviceFlow(signIn: signIn, authorization: authorization, startedAt: signIn.time.bootTime)
        if isOnlyFlow { signIn.reportHosts(authorization.page, tokens: tokens) }
        flow.report()
        return flow
    }

    private func report() {
        if let host = authorization.ignoredCompleteHost {
            let page = authorization.page.origin.authority
            signIn.attempt.report(.warning(UserMessage("device.page_ignored", ["host": host, "page": page])))
        }
        let picture = QRCode((authorization.completePage ?? authorization.page).text)
        signIn.attempt.report(
            .available(
                .device(
                    DeviceCodePrompt(
                        userCode: authorization.userCode, page: authorization.page, completePage: authorization.completePage,
                        qrCode: picture?.lines() ?? []))))
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        var polling = DevicePolling(authorization, now: startedAt)
        var action = polling.begin(now: startedAt)
        var answer = WebResponse(status: 0)
        while true {
            switch action {
            case .finish(.success(let tokens)): return .success(.tokens(ReceivedTokens(tokens: tokens, response: answer)))
            case .finish(.failure(let error)): return .failure(signIn.adapter.failure(error, proving: signIn.prover))
            case .poll(at: let moment):
                do { try await signIn.time.sleep(until: moment) } catch {
                    return .failure(.signInCancelled)
                }
                do throws(AuthFailure) {
                    action = try await poll(&polling, answer: &answer)
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private func poll(
        _ polling: inout DevicePolling, answer: inout WebResponse
    ) async throws(AuthFailure) -> DevicePolling.Action {
        let response: WebResponse
        do throws(AuthFailure) {
            response = try await signIn.adapter.ask(signIn.metadata, proving: signIn.prover) { (client) throws(OAuthError) in
                try TokenEndpoint.poll(authorization, at: signIn.metadata, client: client)
            }.response
        } catch  where error.isTransient {
            return polling.unanswered(now: signIn.time.bootTime)
        }
        answer = response
        return polling.answered(
            response, host: signIn.deviceTokenEndpoint?.origin.authority, requiresProof: signIn.prover != nil,
            dialect: signIn.configuration.dialect, now: signIn.time.bootTime, date: signIn.time.now)
    }

    /// Only a denial by the user ends the attempt. An expired code or an unreadable answer ends this flow only.
    func endsAttempt(_ failure: AuthFailure) -> Bool {
        // `authorization_declined` is the older name of `access_denied`.
        [.denied(code: "access_denied"), .denied(code: "authorization_declined")].contains(failure.kind)
    }
}
