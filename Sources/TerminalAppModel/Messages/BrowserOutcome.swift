public import AuthModel

/// The result of opening a URL in a browser.
public enum BrowserOutcome: Equatable, Sendable {
    /// A browser was started. Whether it shows the page is unknown.
    case opened
    /// No browser can be started here: no display, or `BROWSER` disables it.
    case noBrowser
    /// A browser did not start. One line, lower case, no full stop.
    case failed(reason: UserMessage)
}
