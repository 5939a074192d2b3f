internal import AuthModel

/// The outcome of `yett setup TOOL`.
struct SetupResult: Answer {
    enum Outcome: String {
        case setUp = "set up"
        case unchanged = "already set up"
        case removed
        case notSetUp = "not set up"
    }

    let tool: SetupTool
    let target: String
    let session: SessionName?
    let outcome: Outcome
    let check: SetupCheck?
    let now: Timestamp

    init(setup: any ToolSetup, outcome: Outcome, check: SetupCheck?, now: Timestamp) {
        tool = type(of: setup).tool
        (target, session) = (setup.target, setup.session)
        (self.outcome, self.check, self.now) = (outcome, check, now)
    }

    var lines: [String] {
        let place = tool.named(target)
        let tokens = "\(tool.rawValue) gets tokens of \(session?.description ?? "") for \(place)"
        let line =
            switch outcome {
            case .setUp: "set up: \(tokens)"
            case .unchanged: "already set up: \(tokens); nothing was changed"
            case .removed: "removed: \(tool.rawValue) gets no tokens for \(place)"
            case .notSetUp: "not set up: \(tool.rawValue) gets no tokens for \(place); nothing was changed"
            }
        return [line] + (check.map { ["checked: \($0.command) returned \($0.found)" + ending] } ?? [])
    }

    private var ending: String {
        guard let end = check?.expiresAt else { return "" }
        return end > now ? ", valid for \((end - now).formatted)" : ", which has ended"
    }

    var json: JSONValue {
        .answer(
            ("tool", .string(tool.rawValue)), ("target", .string(target)), ("session", JSONValue(session?.description)),
            ("result", .string(outcome.rawValue.replacing(" ", with: "_"))), ("checked", .bool(check != nil)),
            ("expires_at", JSONValue(check?.expiresAt)))
    }
}
