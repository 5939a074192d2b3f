public import AuthModel

/// A side effect to perform. A value, so that tests can compare it; ``EffectRunner`` performs it.
package enum Command: Equatable, Sendable {
    /// Reads the seal state, the providers and the sessions.
    case load
    /// Reads the settings and the providers again, then loads.
    case reload
    /// Starts watching the settings for changes.
    case watchSettings
    /// Starts watching the session service's events.
    case watch
    /// Reads a session, and the running bridges.
    case loadSession(SessionName)
    /// Reads the running bridges.
    case loadBridges
    /// Decodes the tokens of a session, and asks the provider about opaque ones.
    case loadTokens(SessionName)
    /// Reads the roles that a session opens in accounts.
    ///
    /// - `isFresh`: whether to ask the provider even if a list is kept.
    case loadRoles(SessionName, isFresh: Bool)
    /// Opens the web console as a role in the user's browser.
    case openConsole(SessionName, AccountRole)
    /// Reads the activity from before the app started.
    case loadActivity

    case beginSignIn(SignInRequest, RunID)
    /// Follows the events of a started sign-in until it ends.
    case followSignIn(RunID)
    case cancelSignIn(RunID)
    /// Passes on the text that the user pasted.
    case paste(Secret, RunID)
    /// Submits the answers to a sign-in form.
    case answer(SignInForm.Answers, RunID)
    /// Requests a device code as an additional sign-in method.
    case requestDeviceCode(RunID)
    case openBrowser(WebURL, ProviderName)

    case renew(SessionName)
    case signOut(SessionName, SignOutMode)
    /// Makes a session the default one of its provider.
    case makeDefault(SessionName)
    /// Waits for the browser to return after ending the provider's own session.
    case awaitBrowser(BrowserReturn)
    case unlock(Secret, isPIN: Bool = false)
    case lock

    /// Asks a provider for its metadata.
    case findProvider(ProviderDraft, RunID)
    /// Adds the provider that the user confirmed.
    case addProvider(ProviderOffer, RunID)
    /// Answers whether a program gets a token.
    case answerQuestion(TokenConsentRequest.ID, allows: Bool)

    case copyText(String)
    /// Shows a notice on the user's desktop, or rings.
    case notify(String)
    /// Copies a fresh token from the session service to the clipboard; the token never enters the state.
    case copyToken(SessionName)
    /// Clears a copied token from the clipboard after its time limit.
    case clearClipboard
    /// Requests a token to show for a short time.
    case showToken(SessionName, TokenRequest.Wanted)
    /// Writes one setting to the configuration.
    case saveSetting(SettingChange)

    /// Quits to start the demo; the app starts again when the demo ends.
    case startDemo

    /// Stops the program, as Ctrl-Z does.
    case suspend
    case quit
}

/// The identifier of one run of a task, such as a sign-in, so that a late report is not applied to another run of the same kind.
package struct RunID: Hashable, Sendable {
    package var number: Int
}

/// The result of opening a URL in a browser.
public enum BrowserOutcome: Equatable, Sendable {
    /// A browser was started. Whether it shows the page is unknown.
    case opened
    /// No browser can be started here: no display, or `BROWSER` disables it.
    case noBrowser
    /// A browser did not start. One line, lower case, no full stop.
    case failed(reason: UserMessage)
}

/// The outcome of copying a token.
package enum CopyOutcome: Equatable, Sendable {
    /// The token is on the clipboard, for at most ``timeOnClipboard``.
    case copied(expiresAt: Timestamp?)
    /// No clipboard is reachable.
    case noClipboard
    case failed(AuthFailure)

    /// The time after which a token is cleared from the clipboard.
    package static let timeOnClipboard = Duration.seconds(45)
}
