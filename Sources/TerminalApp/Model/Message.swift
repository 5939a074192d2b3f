import AuthModel
import TerminalUI

/// What happened.
enum Message: Equatable, Sendable {
    case keyPressed(Key)
    /// Text arrived as one bracketed paste.
    case textPasted(PastedText)
    case mouseUsed(MouseEvent)
    /// A row of the screen's list was named by its number.
    case rowChosen(Int)
    case resized(Size)
    /// The program is asked to end.
    case terminated
    case ticked(Timestamp)

    /// The session service answered ``Command/load``.
    case loaded(
        SealState, providers: [ProviderSummary], sessions: [SessionSummary], at: Timestamp, takesPassphrase: Bool = true)
    case loadFailed(AuthFailure)
    case settingsRead(Result<TerminalAppSettings, AuthFailure>)
    /// Settings or providers were changed outside of the app.
    case settingsChanged
    /// The session service reported by itself.
    case serviceReported(SessionServiceEvent)
    /// The session service's events ended: what is shown will not change by itself any more.
    case serviceWentAway
    /// What was written down before, the newest first.
    case activityLoaded([Activity])
    case sessionLoaded(SessionName, Result<SessionDetail, AuthFailure>)

    case tokensLoaded(SessionName, Result<[TokenView], AuthFailure>)

    /// The session service has taken the wish; its events follow.
    case signInBegan(RunID)
    case signInReported(RunID, SignInEvent, at: Timestamp)
    case pasteAnswered(RunID, AuthFailure?)
    case formAnswered(RunID, AuthFailure?)
    /// The code itself comes as a report of the sign-in.
    case deviceCodeAnswered(RunID, AuthFailure?)
    case browserAnswered(WebURL, BrowserOutcome)

    case renewalEnded(SessionName, Result<SessionSummary, AuthFailure>)
    case signOutEnded(SessionName, SignOutMode, Result<SignOutReceipt, AuthFailure>)
    case activationEnded(SessionName, AuthFailure?)
    /// What is known of the provider's own session, once the browser was back or was waited for long enough.
    case browserReturned(BrowserReturn.ID, SignOutReceipt.Outcome)
    case unlockEnded(AuthFailure?)
    case lockEnded(AuthFailure?)

    case providerFound(RunID, Result<ProviderFinding, AuthFailure>)
    case providerAdded(RunID, Result<ProviderName, AuthFailure>)
    /// The session service took an answer to its question, or could not.
    case questionAnswered(AuthFailure?)

    case textCopied(Bool)
    case tokenCopied(SessionName, CopyOutcome)
    /// A token that was copied is not on the clipboard any more.
    case clipboardCleared
    /// A token that the person asked to see; it is gone from the state when its moment is over.
    case tokenRevealed(SessionName, Result<Secret, AuthFailure>, at: Timestamp)
    /// The same for the inspector.
    case tokenShown(SessionName, TokenRequest.Wanted, Result<Secret, AuthFailure>, at: Timestamp)
    case themeSaved(AuthFailure?)
    case settingSaved(Setting.ID, AuthFailure?)
}

/// What became of a token that was to be copied.
enum CopyOutcome: Equatable, Sendable {
    /// It is on the clipboard, for ``timeOnClipboard`` at most.
    case copied(expiresAt: Timestamp?)
    /// There is no clipboard to be reached.
    case noClipboard
    case failed(AuthFailure)

    /// After this time a token is cleared from the clipboard.
    static let timeOnClipboard = Duration.seconds(45)
}
