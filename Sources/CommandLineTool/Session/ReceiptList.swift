internal import AuthModel
internal import Localization

/// The output of `yett logout`: the steps taken to end each session.
struct ReceiptList: Answer {
    let receipts: [SignOutReceipt]

    var lines: [String] {
        receipts.flatMap { receipt in
            ["\(receipt.session): \(receipt.outcome)"]
                + receipt.entries.map { "  \($0.step.title): \($0.outcome.words)" }
        }
    }

    var json: JSONValue {
        .answer(
            (
                "receipts",
                .array(
                    receipts.map { receipt in
                        .members(
                            ("session", .string(receipt.session.description)),
                            ("complete", .bool(receipt.isComplete)),
                            ("steps", .array(receipt.entries.map(\.json))),
                            ("browser_url", JSONValue(receipt.shownURL?.text)))
                    })
            ))
    }
}

extension SignOutReceipt {
    fileprivate var outcome: String {
        guard isComplete else { return "forgotten here; not every step succeeded at the provider" }
        return isProviderNotified ? "signed out" : "forgotten here; the provider was not told"
    }
}

extension SignOutReceipt.Step {
    fileprivate var title: String {
        switch self {
        case .revokeRefreshToken: "revoke the refresh token"
        case .revokeAccessToken: "revoke the access token"
        case .endBrowserSession: "end the browser's session"
        case .forget: "forget here"
        case .endBaseSession: "end the publisher's session"
        }
    }
}

extension SignOutReceipt.Outcome {
    fileprivate var words: String {
        switch self {
        case .done: "done"
        case .skipped(let reason): "skipped, \(reason.english)"
        case .unconfirmed(let reason): "not confirmed, \(reason.english)"
        case .failed(let reason, let isQueued): "failed, \(reason.english)" + (isQueued ? "; Yett will try again" : "")
        }
    }
}

extension SignOutReceipt.Entry {
    fileprivate var json: JSONValue {
        let (outcome, reason, isQueued): (String, String?, Bool) =
            switch self.outcome {
            case .done: ("done", nil, false)
            case .skipped(let reason): ("skipped", reason.english, false)
            case .unconfirmed(let reason): ("unconfirmed", reason.english, false)
            case .failed(let reason, let isQueued): ("failed", reason.english, isQueued)
            }
        return .members(
            ("step", .string(step.rawValue)), ("outcome", .string(outcome)), ("reason", JSONValue(reason)), ("queued", .bool(isQueued)))
    }
}
