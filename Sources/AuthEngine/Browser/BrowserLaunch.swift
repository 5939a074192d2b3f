/// What came of the wish to open a browser.
public enum BrowserLaunch: Equatable, Sendable {
    /// Whether the window is a private one.
    public enum Privacy: Equatable, Sendable {
        /// Nobody asked for one.
        case notAsked
        /// The browser was told to open one.
        case requested
        /// It was asked for, but how to tell this program is not known.
        case unknown
    }

    /// A command was started and did not fail at once. It is no proof that a page is in front of anybody. `missing` are the commands of
    /// `$BROWSER` before it that were not found.
    case started(command: String, privacy: Privacy, missing: [String] = [])
    /// Every command failed; the reason names each.
    case failed(reason: String)
    /// There is no command to start; the reason says why.
    case none(reason: String)
}
