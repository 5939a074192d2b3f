internal import AuthEngine
internal import FrontDoor

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
