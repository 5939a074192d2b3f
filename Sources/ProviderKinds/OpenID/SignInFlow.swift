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

/// Runs several flows at the same time. The first success ends the others, as do the deadline and a cancellation by the user.
///
/// The device flow may join later. The device code is requested a moment after the other flows have opened, so that the browser does not
/// wait for it, and a user who is already signed in there needs no code. It is requested again when the user asks for another code.
struct FlowRace<Outcome: Sendable>: Sendable {
    let flows: [any SignInFlow<Outcome>]
    let deadline: Duration
    let time: any TimeSource
    let attempt: AttemptChannel
    /// Opens the device flow with a new code, also when the user asks for another one after an expiry; `nil` if there are no device codes.
    var openDevice: (@Sendable () async throws(AuthFailure) -> any SignInFlow<Outcome>)?
    /// The time after which the race requests a device code without being asked; `nil` if it does not.
    var deviceDelay: Duration?

    private enum Finish: Sendable {
        case flow(Int, Result<Outcome, AuthFailure>)
        case requested
        /// The result of opening the device flow; `isRequest`: the user asked for it.
        case joined(Result<any SignInFlow<Outcome>, AuthFailure>, isRequest: Bool)
        case noneRequested
        case deadline
        case cancelled
    }

    /// Waits for the result, and closes every flow before it returns.
    func run() async throws(AuthFailure) -> Outcome {
        var flows = flows
        let outcome = await withTaskGroup(of: Finish.self) { group in
            for (index, flow) in flows.enumerated() {
                group.addTask { .flow(index, await flow.outcome()) }
            }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return .cancelled }
                return .deadline
            }
            if let deviceDelay {
                join(in: &group, after: deviceDelay)
            } else if openDevice != nil {
                awaitRequest(in: &group)
            }
            let outcome = await firstOutcome(of: &flows, in: &group)
            // The result is known while the browser's page is still being sent. Closing the listener sends it first.
            group.cancelAll()
            return outcome
        }
        for flow in flows { await flow.close() }
        return try outcome.get()
    }

    /// Waits for the first flow to succeed, or for the failure that ends the attempt.
    private func firstOutcome(
        of flows: inout [any SignInFlow<Outcome>], in group: inout TaskGroup<Finish>
    ) async -> Result<Outcome, AuthFailure> {
        // Count the device flow that is being opened.
        var waiting = flows.count + (deviceDelay == nil ? 0 : 1)
        while let finish = await group.next() {
            switch finish {
            case .flow(_, .success(let outcome)): return .success(outcome)
            case .flow(let index, .failure(let failure)):
                waiting -= 1
                if waiting == 0 || Task.isCancelled || flows[index].endsAttempt(failure) { return .failure(failure) }
                attempt.report(.warning(failure.message.followed(by: "phrase.other_methods_still_work")))
                if openDevice != nil, flows[index] is DeviceFlow { await attempt.offerDeviceCode() }
            case .requested:
                waiting += 1
                join(in: &group)
            case .joined(.success(let flow), _):
                let index = flows.count
                flows.append(flow)
                group.addTask { .flow(index, await flow.outcome()) }
                await attempt.deviceCodes.finish(.success(()))
                awaitRequest(in: &group)
            case .joined(.failure(let failure), let isRequest):
                waiting -= 1
                if waiting == 0 || Task.isCancelled { return .failure(failure) }
                if isRequest {
                    await attempt.deviceCodes.finish(.failure(failure))
                } else {
                    await attempt.reportDeviceCodeFailure(failure)
                }
                awaitRequest(in: &group)
            case .noneRequested: break
            case .deadline: return .failure(await timedOut(flows))
            case .cancelled: return .failure(.signInCancelled)
            }
        }
        return .failure(.signInCancelled)
    }

    /// Opens the device flow: at once if the user requested it, otherwise after a delay.
    private func join(in group: inout TaskGroup<Finish>, after delay: Duration? = nil) {
        guard let openDevice else { return }
        group.addTask {
            do throws(AuthFailure) {
                if let delay { try? await time.sleep(until: time.bootTime + delay) }
                if Task.isCancelled { throw AuthFailure.signInCancelled }
                return .joined(.success(try await openDevice()), isRequest: delay == nil)
            } catch {
                return .joined(.failure(error), isRequest: delay == nil)
            }
        }
    }

    private func awaitRequest(in group: inout TaskGroup<Finish>) {
        group.addTask {
            for await _ in attempt.deviceCodes.requests { return .requested }
            return .noneRequested
        }
    }

    private func timedOut(_ flows: [any SignInFlow<Outcome>]) async -> AuthFailure {
        for flow in flows {
            if let failure = await flow.timedOut() { return failure }
        }
        return AuthFailure(.timedOut, "sign_in.timed_out", hint: "hint.sign_in_again_with_timeout")
    }
}
