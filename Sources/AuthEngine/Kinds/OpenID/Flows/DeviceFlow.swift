internal import AuthModel
internal import OAuth

/// A code that the person types at the provider's page, on whichever device has a browser (RFC 8628). When to ask, and when to stop, is
/// `DevicePolling`'s to say; the device code never leaves the requests to the provider.
struct DeviceFlow: SignInFlow {
    private let signIn: OpenIDSignIn
    private let authorization: DeviceAuthorization
    /// When the provider's answer with the codes came.
    private let begunAt: Duration

    /// Asks the provider for the codes and reports the way in.
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
        let flow = DeviceFlow(signIn: signIn, authorization: authorization, begunAt: signIn.time.bootTime)
        flow.report()
        return flow
    }

    private func report() {
        if let host = authorization.ignoredCompleteHost {
            let page = authorization.page.origin.authority
            signIn.attempt.report(.warning("a page at \(host) is ignored: codes of this sign-in are typed at \(page)"))
        }
        let picture = QRCode((authorization.completePage ?? authorization.page).text)
        signIn.attempt.report(
            .opened(
                .device(
                    DeviceCodePrompt(
                        userCode: authorization.userCode, page: authorization.page, completePage: authorization.completePage,
                        qrCode: picture?.lines() ?? []))))
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        var polling = DevicePolling(authorization, now: begunAt)
        var action = polling.begin(now: begunAt)
        while true {
            switch action {
            case .finish(.success(let tokens)): return .success(.tokens(tokens, authorization))
            case .finish(.failure(let error)): return .failure(signIn.adapter.failure(error, proving: signIn.prover))
            case .poll(at: let moment):
                do { try await signIn.time.sleep(until: moment) } catch {
                    return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
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

    /// The person said no there, and means it. A code that expired, or an answer nobody understands, only ends this way.
    func endsAttempt(_ failure: AuthFailure) -> Bool { failure.kind == .denied(code: "access_denied") }
}
