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
        let others = "use one of the other sign-in methods"
        guard hasDevice else {
            return AuthFailure(
                .configuration, "\(provider) does not support device sign-in",
                hint: isOnlyRequest ? "use --flow browser, or --flow manual over SSH" : others)
        }
        guard request.purpose == .signIn else {
            return AuthFailure(
                .usage, "an account cannot be created on another device", hint: isOnlyRequest ? "use --flow browser" : others)
        }
        switch request.flow {
        case .device, .auto:
            guard request.prompt != nil else { return nil }
            return AuthFailure(
                .usage, "a prompt is not possible with a device code", hint: isOnlyRequest ? "use --flow browser or manual" : others)
        case .browser, .manual:
            return AuthFailure(
                .usage, "this sign-in allows only --flow \(request.flow.rawValue)", hint: "to use both, start again without --flow")
        }
    }

    private static func noLoopbackRedirect(_ configuration: ProviderConfiguration) -> AuthFailure {
        AuthFailure(
            .configuration, "a browser cannot return to the redirect address of \(configuration.name)",
            hint: "use --flow manual, or set redirect = \"\(RedirectRule.standard)\"")
    }
}
