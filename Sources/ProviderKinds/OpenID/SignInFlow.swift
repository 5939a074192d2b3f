import AuthEngine
import AuthModel
import OAuth

/// A flow of a sign-in that is open and waits for the user. Several flows may wait at the same time.
///
/// | flow | file |
/// |---|---|
/// | browser, redirected to a loopback port (RFC 8252) | ``BrowserFlow`` |
/// | a code typed on any device (RFC 8628) | ``DeviceFlow`` |
/// | a redirect URL or code that is pasted | ``ManualFlow`` |
protocol SignInFlow<Outcome>: Sendable {
    /// The result of a successful flow.
    associatedtype Outcome: Sendable

    /// Waits for the user, and returns once: the result, or the failure that ended this flow.
    func outcome() async -> Result<Outcome, AuthFailure>

    /// Closes everything that the flow has open. When this returns, no port is open and no request is sent any more.
    func close() async

    /// Whether a failure of this flow ends the attempt, even if other flows are still open.
    func endsAttempt(_ failure: AuthFailure) -> Bool

    /// Returns the failure to report at the attempt's deadline; `nil` for a plain timeout.
    func timedOut() async -> AuthFailure?
}

/// The result of a flow at an OAuth provider.
enum FlowOutcome: Sendable {
    /// The provider's answer with a code, which must be redeemed.
    case callback(ValidatedCallback)
    /// The tokens of a device flow, whose polling request also redeems the code.
    case tokens(ReceivedTokens)
}

/// The tokens of a sign-in, and the response that they came in, which may identify the user.
struct ReceivedTokens: Sendable {
    let tokens: TokenSet
    let response: WebResponse
}

extension SignInFlow {
    func close() async {}
    /// A callback with this attempt's state is the provider's answer to the attempt.
    func endsAttempt(_ failure: AuthFailure) -> Bool { true }
    func timedOut() async -> AuthFailure? { nil }
}

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
            let userEnvironment = signIn.request.userEnvironment ?? signIn.adapter.environment.userEnvironment
            if let server = userEnvironment.sshServer, let port = listener.rule.port {
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
        return await receiver.answer().map(FlowOutcome.callback)
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
            return .query(FormEncoding.encode([("code", String(shown[0])), ("state", String(shown[1]))]))
        }
        guard let mark = text.firstIndex(of: "?") else {
            guard text.contains("=") else { throw .pastedNoAddress(insteadOf: page) }
            return .query(String(text.prefix { $0 != "#" }))
        }
        guard isRedirect(text[..<mark]) else { throw .pastedWrongURL(than: page) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
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

/// The flows that a sign-in opens.
///
/// If the request names a flow, it is the only one. With `auto`, all flows that the provider supports are open at the same time, wherever
/// the user sits: the browser, pasting the URL that it ends on, and a code for another device.
struct FlowChoice: Equatable {
    var browser = false
    var device = false
    var manual = false
    /// Whether the device flow joins other flows. They do not wait for it, and continue if the provider refuses it to this client.
    var deviceJoinsOtherFlows: Bool { device && (browser || manual) }
    /// The reason why the user cannot request a device code during the sign-in; `nil` if they can.
    var deviceObstacle: AuthFailure?

    /// Chooses the flows.
    ///
    /// - Throws: `.configuration` if the provider does not support the requested flow; `.usage` if the request does not allow it.
    init(
        _ request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata
    ) throws(AuthFailure) {
        let hasDevice = metadata.deviceAuthorizationEndpoint != nil
        let hasAuthorization = metadata.authorizationEndpoint != nil
        let comesBack = configuration.redirects.contains(where: \.redirectsToThisMachine)
        deviceObstacle = Self.obstacle(request, hasDevice: hasDevice, at: configuration.name)
        switch request.flow {
        case .browser:
            guard comesBack else { throw Self.noLoopbackRedirect(configuration) }
            browser = true
        case .manual: manual = true
        case .device:
            if let deviceObstacle { throw deviceObstacle }
            device = true
        case .auto:
            browser = hasAuthorization && comesBack
            manual = hasAuthorization && !comesBack
            device = deviceObstacle == nil
            // Without any endpoint, the error of the browser flow best says what is missing.
            if !browser, !manual, !device { browser = true }
        }
    }

    private static func obstacle(_ request: SignInRequest, hasDevice: Bool, at provider: ProviderName) -> AuthFailure? {
        let isOnlyRequest = request.flow == .device
        let others = UserMessage("hint.use_other_sign_in_method")
        guard hasDevice else {
            return AuthFailure(
                .configuration, UserMessage("device.not_supported", ["provider": provider]),
                hint: isOnlyRequest ? "hint.use_flow_browser_or_manual_ssh" : others)
        }
        guard request.purpose == .signIn else {
            return AuthFailure(
                .usage, "device.no_sign_up", hint: isOnlyRequest ? "hint.use_flow_browser" : others)
        }
        switch request.flow {
        case .device, .auto:
            guard request.prompt != nil else { return nil }
            return AuthFailure(
                .usage, "device.no_prompt", hint: isOnlyRequest ? "hint.use_flow_browser_or_manual" : others)
        case .browser, .manual:
            return AuthFailure(
                .usage, UserMessage("sign_in.only_this_flow", ["flow": request.flow.rawValue]), hint: "hint.start_again_without_flow")
        }
    }

    private static func noLoopbackRedirect(_ configuration: ProviderConfiguration) -> AuthFailure {
        AuthFailure(
            .configuration, UserMessage("browser.cannot_return_to_redirect", ["provider": configuration.name]),
            hint: UserMessage("hint.use_manual_or_set_redirect", ["redirect": RedirectRule.standard]))
    }
}
