internal import AuthEngine
internal import TerminalApp

extension BrowserLaunch {
    /// The same in the app's words.
    var outcome: BrowserOutcome {
        switch self {
        case .started: .opened
        case .failed(let reason): .failed(reason: reason)
        case .none: .noBrowser
        }
    }
}
