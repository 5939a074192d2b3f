import AuthEngine
import AuthModel
import OAuth

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
        var (response, client) = try await ask(nil)
        var verifier: Secret?
        if DeviceAuthorization.wantsPKCE(response) {
            var random = SystemRandomNumberGenerator()
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
        let dialect = signIn.configuration.dialect
        let endpoint = dialect.device.tokenEndpoint ?? signIn.metadata.tokenEndpoint
        return polling.answered(
            response, host: endpoint?.origin.authority, requiresProof: signIn.prover != nil, dialect: dialect, now: signIn.time.bootTime,
            date: signIn.time.now)
    }

    /// Only a denial by the user ends the attempt. An expired code or an unreadable answer ends this flow only.
    func endsAttempt(_ failure: AuthFailure) -> Bool {
        // `authorization_declined` is the older name of `access_denied`.
        [.denied(code: "access_denied"), .denied(code: "authorization_declined")].contains(failure.kind)
    }
}
