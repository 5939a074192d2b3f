internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The device flow (RFC 8628): the user types a code on the provider's page, on any device with a browser. `DevicePolling` decides when to
/// poll and when to stop. The device code is sent to the provider only.
struct DeviceFlow: SignInFlow {
    private let signIn: OpenIDSignIn
    private let authorization: DeviceAuthorization
    /// The boot time when the provider's answer with the codes arrived.
    private let startedAt: Duration

    /// Requests the codes from the provider, and reports the sign-in method.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> DeviceFlow {
        let scopes = signIn.scopes
        let (response, client) = try await signIn.adapter.ask(signIn.metadata) { (client) throws(OAuthError) in
            try DeviceAuthorization.request(
                scopes: scopes, resources: signIn.resources, acrValues: signIn.request.acrValues, maxAge: signIn.request.maxAge,
                uiLocales: signIn.request.uiLocales, extraParameters: signIn.configuration.extraParameters, at: signIn.metadata,
                client: client)
        }
        let authorization: DeviceAuthorization
        do {
            authorization = try DeviceAuthorization(
                response, from: signIn.metadata, client: client, scopes: scopes, resources: signIn.resources, now: signIn.time.now)
        } catch {
            throw error.failure
        }
        let flow = DeviceFlow(signIn: signIn, authorization: authorization, startedAt: signIn.time.bootTime)
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
        while true {
            switch action {
            case .finish(.success(let tokens)): return .success(.tokens(tokens, authorization))
            case .finish(.failure(let error)): return .failure(signIn.adapter.failure(error, proving: signIn.prover))
            case .poll(at: let moment):
                do { try await signIn.time.sleep(until: moment) } catch {
                    return .failure(AuthFailure(.cancelled, "sign_in.cancelled"))
                }
                do throws(AuthFailure) {
                    action = try await poll(&polling)
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private func poll(_ polling: inout DevicePolling) async throws(AuthFailure) -> DevicePolling.Action {
        let response: WebResponse
        do throws(AuthFailure) {
            response = try await signIn.adapter.ask(signIn.metadata, proving: signIn.prover) { (client) throws(OAuthError) in
                try TokenEndpoint.poll(authorization, at: signIn.metadata, client: client)
            }.response
        } catch  where error.isTransient {
            return polling.unanswered(now: signIn.time.bootTime)
        }
        return polling.answered(
            response, host: signIn.metadata.tokenEndpoint?.origin.authority, requiresProof: signIn.prover != nil,
            now: signIn.time.bootTime, date: signIn.time.now)
    }

    /// Only a denial by the user ends the attempt. An expired code or an unreadable answer ends this flow only.
    func endsAttempt(_ failure: AuthFailure) -> Bool { failure.kind == .denied(code: "access_denied") }
}
