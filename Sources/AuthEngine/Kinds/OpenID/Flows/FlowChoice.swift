internal import AuthModel
internal import OAuth

/// Which flows a sign-in opens.
///
/// A flow that was asked for by name is the only one. With `auto` every way that the provider has and that fits is open at once: the browser
/// and pasting always; a device code together with them where no browser is at hand, that is over SSH or without a display. In front of a
/// desktop's browser none is begun unasked: a device code that nobody wants would poll the provider for nothing.
struct FlowChoice: Equatable {
    var browser = false
    var device = false
    var manual = false
    /// Whether the sign-in goes on without the device way where the provider does not let this client have it.
    var deviceIsOptional = false

    /// - Throws: `.configuration` when the flow that was asked for does not exist at the provider, or nothing does.
    init(
        _ request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata, surroundings: SessionSurroundings
    ) throws(AuthFailure) {
        let hasDevice = metadata.deviceAuthorizationEndpoint != nil
        let hasAuthorization = metadata.authorizationEndpoint != nil
        let comesBack = configuration.redirects.contains { !$0.isOutOfBand }
        switch request.flow {
        case .browser:
            guard comesBack else { throw Self.noWayBack(configuration) }
            browser = true
        case .manual: manual = true
        case .device:
            guard hasDevice else {
                throw AuthFailure(
                    .configuration, "\(configuration.name) has no device sign-in", hint: "use --flow browser, or --flow manual over SSH")
            }
            guard request.purpose == .signIn else {
                throw AuthFailure(.usage, "an account cannot be made on another device", hint: "use --flow browser")
            }
            device = true
        case .auto:
            browser = hasAuthorization && comesBack
            manual = hasAuthorization && !comesBack
            // A prompt cannot be asked for with a device code, nor can an account be made.
            let fits = request.purpose == .signIn && request.prompt == nil
            device = hasDevice && fits && (!hasAuthorization || !surroundings.hasBrowserAtHand)
            deviceIsOptional = browser || manual
            // Without any endpoint the browser's way says best what is missing.
            if !browser, !manual, !device { browser = true }
        }
    }

    private static func noWayBack(_ configuration: ProviderConfiguration) -> AuthFailure {
        AuthFailure(
            .configuration, "the redirect of \(configuration.name) leads nowhere that a browser could come back to",
            hint: "use --flow manual, or set redirect = \"\(RedirectRule.standard)\"")
    }
}
