internal import AuthModel
internal import OAuth

/// Which flows a sign-in opens.
///
/// A flow that was asked for by name is the only one. With `auto` every way that the provider has is open at once: the browser, pasting
/// what it ends on, and a code for another device, wherever the person sits.
struct FlowChoice: Equatable {
    var browser = false
    var device = false
    var manual = false
    /// Whether the device way joins others, which do not wait for it, and go on where the provider does not let this client have it.
    var deviceJoins: Bool { device && (browser || manual) }
    /// Why the person cannot ask for a device code while the sign-in waits; `nil` where they can.
    var deviceObstacle: AuthFailure?

    /// - Throws: `.configuration` when the flow that was asked for does not exist at the provider, or nothing does.
    init(
        _ request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata
    ) throws(AuthFailure) {
        let hasDevice = metadata.deviceAuthorizationEndpoint != nil
        let hasAuthorization = metadata.authorizationEndpoint != nil
        let comesBack = configuration.redirects.contains(where: \.comesBackHere)
        deviceObstacle = Self.obstacle(request, hasDevice: hasDevice, at: configuration.name)
        switch request.flow {
        case .browser:
            guard comesBack else { throw Self.noWayBack(configuration) }
            browser = true
        case .manual: manual = true
        case .device:
            if let deviceObstacle { throw deviceObstacle }
            device = true
        case .auto:
            browser = hasAuthorization && comesBack
            manual = hasAuthorization && !comesBack
            device = deviceObstacle == nil
            // Without any endpoint the browser's way says best what is missing.
            if !browser, !manual, !device { browser = true }
        }
    }

    private static func obstacle(_ request: SignInRequest, hasDevice: Bool, at provider: ProviderName) -> AuthFailure? {
        let isOnlyRequest = request.flow == .device
        let others = "use one of the ways that are open"
        guard hasDevice else {
            return AuthFailure(
                .configuration, "\(provider) has no device sign-in",
                hint: isOnlyRequest ? "use --flow browser, or --flow manual over SSH" : others)
        }
        guard request.purpose == .signIn else {
            return AuthFailure(
                .usage, "an account cannot be made on another device", hint: isOnlyRequest ? "use --flow browser" : others)
        }
        switch request.flow {
        case .device, .auto:
            guard request.prompt != nil else { return nil }
            return AuthFailure(
                .usage, "a prompt cannot be asked for with a device code", hint: isOnlyRequest ? "use --flow browser or manual" : others)
        case .browser, .manual:
            return AuthFailure(
                .usage, "this sign-in was to go by --flow \(request.flow.rawValue) only", hint: "begin again without --flow to have both")
        }
    }

    private static func noWayBack(_ configuration: ProviderConfiguration) -> AuthFailure {
        AuthFailure(
            .configuration, "the redirect of \(configuration.name) leads nowhere that a browser could come back to",
            hint: "use --flow manual, or set redirect = \"\(RedirectRule.standard)\"")
    }
}
