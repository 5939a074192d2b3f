package import AuthModel
package import TerminalUI

/// An event that the app handles.
package enum Message: Equatable, Sendable {
    case keyPressed(Key)
    /// Text from one bracketed paste.
    case textPasted(PastedText)
    case mouseUsed(MouseEvent)
    /// A row of the screen's list was chosen by its index.
    case rowChosen(Int)
    case resized(Size)
    /// The terminal got the keyboard focus, or lost it.
    case focusChanged(Bool)
    /// The terminal's colour scheme has changed.
    case colorsChanged(isLight: Bool)
    /// The program must end.
    case terminated
    case ticked(Timestamp)

    /// The session service answered ``Command/load``.
    case loaded(SealReport, providers: [ProviderSummary], sessions: [SessionSummary], at: Timestamp)
    case loadFailed(AuthFailure)
    case settingsRead(Result<TerminalAppSettings, AuthFailure>)
    /// Settings or providers were changed outside of the app.
    case settingsChanged
    /// An event of the session service.
    case serviceReported(SessionServiceEvent)
    /// The session service's events ended, so the screen no longer updates by itself.
    case serviceWentAway
    /// The activity from before the app started, the newest first.
    case activityLoaded([Activity])
    case sessionLoaded(SessionName, Result<SessionDetail, AuthFailure>)
    case bridgesLoaded([RunningBridge], at: Timestamp)

    case tokensLoaded(SessionName, Result<[TokenView], AuthFailure>)

    case rolesLoaded(SessionName, Result<RoleList, AuthFailure>)
    /// The browser has left this machine for the console: nil, or why it has not.
    case consoleOpened(SessionName, AccountRole, AuthFailure?)

    /// The session service has started the sign-in; its events follow.
    case signInBegan(RunID)
    case signInReported(RunID, SignInEvent, at: Timestamp)
    case pasteAnswered(RunID, AuthFailure?)
    case formAnswered(RunID, AuthFailure?)
    /// The answer to a request for a device code. The code itself comes as an event of the sign-in.
    case deviceCodeAnswered(RunID, AuthFailure?)
    case browserAnswered(WebURL, BrowserOutcome)

    case renewalEnded(SessionName, Result<SessionSummary, AuthFailure>)
    case signOutEnded(SessionName, SignOutMode, Result<SignOutReceipt, AuthFailure>)
    case defaultChoiceEnded(SessionName, AuthFailure?)
    /// The outcome for the provider's own session, after the browser returned or the wait timed out.
    case browserReturned(BrowserReturn.ID, SignOutReceipt.Outcome)
    case unlockEnded(AuthFailure?)
    case lockEnded(AuthFailure?)

    case providerFound(RunID, Result<ProviderFinding, AuthFailure>)
    case providerAdded(RunID, Result<ProviderName, AuthFailure>)
    /// The session service's response to the answer of a question: nil, or why it failed.
    case questionAnswered(AuthFailure?)

    case textCopied(Bool)
    case tokenCopied(SessionName, CopyOutcome)
    /// A copied token was cleared from the clipboard.
    case clipboardCleared
    /// A token that the user asked to see; removed from the state after a short time.
    case tokenShown(SessionName, TokenRequest.Wanted, Result<Secret, AuthFailure>, at: Timestamp)
    case settingSaved(Setting.ID, AuthFailure?)
    /// The screens above this one were closed, so that it is visible again; only this screen gets it.
    case uncovered
}
