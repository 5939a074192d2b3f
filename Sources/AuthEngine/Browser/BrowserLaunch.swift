public import AuthModel

/// The result of opening a browser.
public enum BrowserLaunch: Equatable, Sendable {
    /// Whether a private window was opened.
    public enum Privacy: Equatable, Sendable {
        /// A private window was not requested.
        case notAsked
        /// The browser was told to open a private window.
        case requested
        /// A private window was requested, but the option of this program is not known.
        case unknown
    }

    /// A command was started and did not fail at once. This does not prove that the user sees the page. `missing` lists the commands of
    /// `$BROWSER` that were tried first and not found.
    case started(command: String, privacy: Privacy, missing: [String] = [])
    /// Every command failed; `reason` names each.
    case failed(reason: UserMessage)
    /// No command was found, or the browser is disabled; `reason` says which.
    case none(reason: UserMessage)
}
