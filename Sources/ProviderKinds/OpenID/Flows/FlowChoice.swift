internal import AuthEngine
internal import AuthModel
internal import OAuth

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
