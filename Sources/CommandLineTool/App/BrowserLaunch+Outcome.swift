internal import AuthEngine
internal import TerminalApp
internal import TerminalAppModel

extension BrowserLaunch {
    /// The launch as the app's type.
    var outcome: BrowserOutcome {
        switch self {
        case .started: .opened
        case .failed(let reason): .failed(reason: reason)
        case .none: .noBrowser
        }
    }
}
