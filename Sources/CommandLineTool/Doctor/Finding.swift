internal import AuthModel
internal import Localization

/// The result of one check.
struct Finding: Equatable, Sendable {
    enum Outcome: String, Sendable {
        case well = "ok"
        case warning = "warn"
        case failure = "fail"
    }

    /// A stable name of the check.
    var check: String
    var outcome: Outcome
    /// The result, in one line.
    var text: String
    var hint: String?
    /// Whether the fix is on this machine, rather than at a provider or in the network.
    var isLocal = true

    static func well(_ check: String, _ text: String) -> Finding { Finding(check: check, outcome: .well, text: text) }

    static func warning(_ check: String, _ text: String, hint: String?) -> Finding {
        Finding(check: check, outcome: .warning, text: text, hint: hint)
    }

    static func failure(_ check: String, _ failure: AuthFailure) -> Finding {
        Finding(check: check, outcome: .failure, text: failure.summary, hint: failure.hintText, isLocal: !failure.isTransient)
    }
}
