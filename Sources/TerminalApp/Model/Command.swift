import AuthModel

/// Names one run of a sign-in within this program, so that a late report cannot be taken for another run's.
struct RunID: Hashable, Sendable {
    var number: Int
}

/// What is to be done outside. Values, so that a test can compare them; ``EffectRunner`` does them.
enum Command: Equatable, Sendable {
    /// Reads the seal, the providers and the sessions.
    case load
    /// Reads the settings and the providers again, then loads.
    case reload
    /// Begins to listen for changes of the settings.
    case watchSettings
    /// Begins to listen to the session service's events.
    case watch
    case loadSession(SessionName)
    /// Reads what the tokens of a session say, and asks the provider about those that say nothing themselves.
    case loadTokens(SessionName)
    /// Reads what was written down before.
    case loadActivity

    case beginSignIn(SignInRequest, RunID)
    /// Listens to a sign-in that has begun until it ends.
    case followSignIn(RunID)
    case cancelSignIn(RunID)
    /// Hands over what the person pasted.
    case paste(Secret, RunID)
    /// Answers what a sign-in asked.
    case answer(SignInForm.Answers, RunID)
    /// Asks for a device code, as one more way in.
    case requestDeviceCode(RunID)
    case openBrowser(WebURL, ProviderName)

    case renew(SessionName)
    case signOut(SessionName, SignOutMode)
    /// Makes a session the one that its provider's name alone stands for.
    case activate(SessionName)
    /// Waits for the browser that ends the provider's own session.
    case awaitBrowser(BrowserReturn)
    case unlock(Secret)
    case lock

    /// Asks a provider who it is.
    case findProvider(ProviderDraft, RunID)
    /// Adds what the person has confirmed.
    case addProvider(ProviderOffer, RunID)
    /// Says whether a program is handed a token.
    case answerQuestion(TokenConsentRequest.ID, allows: Bool)

    case copyText(String)
    /// Asks the session service for a fresh token and puts it on the clipboard; it passes through no state.
    case copyToken(SessionName)
    /// Clears a copied token from the clipboard when its time there is over.
    case clearClipboard
    /// Asks the session service for a fresh token to be shown for a moment.
    case revealToken(SessionName)
    /// Asks the session service for a token to be shown in the inspector for a moment.
    case showToken(SessionName, TokenRequest.Wanted)
    case saveTheme(String)
    /// Writes one setting into the configuration.
    case saveSetting(SettingChange)

    /// Leaves for the demo; the app is there again when that ends.
    case startDemo

    /// Stops the program as Ctrl-Z does.
    case suspend
    case quit
}
