internal import AuthModel
internal import OAuth

/// Takes what a page sends back, and settles on the first answer that has everything that is wanted.
actor CaptureDesk {
    private let wanted: [String]
    private let redirectURI: String
    private let report: @Sendable (SignInEvent) -> Void
    private var outcome: Result<[String: Secret], AuthFailure>?
    private var waiting: CheckedContinuation<Result<[String: Secret], AuthFailure>, Never>?
    private var ignoredCount = 0

    init(wanted: [String], redirectURI: String, report: @escaping @Sendable (SignInEvent) -> Void) {
        self.wanted = wanted
        self.redirectURI = redirectURI
        self.report = report
    }

    /// Judges the raw query of a callback: every wanted parameter once and with something in it.
    func judge(_ query: String) -> CallbackVerdict {
        guard outcome == nil else { return .ignored }
        guard let pairs = FormEncoding.decode(query) else { return ignore("its query is broken") }
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else { return ignore("it has a parameter twice") }
        // What the page says of its own accord; that it is the page, the path shows.
        if let error = values["error"] {
            let refusal = ServerError(code: error, description: values["error_description"])
            settle(
                .failure(AuthFailure(.denied(code: refusal.code), "the backend refused the sign-in: \(refusal.line)", hint: "try again")))
            return .denied
        }
        for name in wanted where values[name]?.isEmpty != false { return ignore("it has no \(name)") }
        settle(.success(values.mapValues { Secret($0) }))
        return .accepted
    }

    /// Judges the address that the person pasted.
    func judge(pasted text: Secret) throws(AuthFailure) {
        let address = text.reveal().filter { !$0.isWhitespace }
        guard let mark = address.firstIndex(of: "?"), address[..<mark] == redirectURI else {
            throw AuthFailure(
                .usage, "the pasted URL is not this sign-in's redirect",
                hint: "copy the whole address that begins with \(redirectURI) from the browser")
        }
        guard outcome == nil else { return }
        if judge(String(address[address.index(after: mark)...].prefix { $0 != "#" })) == .ignored {
            throw AuthFailure(.security, "the pasted answer is not whole", hint: "copy the whole address from the browser")
        }
    }

    /// Another user of this machine sent an answer.
    func noteStranger() { _ = ignore(LoopbackListener.strangersReason) }

    private func ignore(_ reason: String) -> CallbackVerdict {
        ignoredCount += 1
        // Whoever sends them by the thousand fills no terminal.
        if ignoredCount <= LoopbackListener.reportLimit { report(.ignoredCallback(reason: reason)) }
        return .ignored
    }

    /// The answer that counts; a cancelled task gets a failure.
    func answer() async -> Result<[String: Secret], AuthFailure> {
        if let outcome { return outcome }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.settle(.failure(AuthFailure(.cancelled, "the sign-in was cancelled"))) }
        }
    }

    /// What the deadline means.
    func timedOut() -> AuthFailure {
        guard ignoredCount > 0 else {
            return AuthFailure(
                .timedOut, "nobody came back from the browser in time", hint: "sign in again, or give it longer with --timeout SECONDS")
        }
        let answers = ignoredCount == 1 ? "one answer was" : "\(ignoredCount) answers were"
        var failure = AuthFailure(
            .security, "the sign-in timed out, and \(answers) refused as not being what was awaited",
            hint: "check capture in the configuration against what the backend sends")
        failure.rejectedCallbacks = ignoredCount
        return failure
    }

    private func settle(_ result: Result<[String: Secret], AuthFailure>) {
        guard outcome == nil else { return }
        outcome = result
        waiting?.resume(returning: result)
        waiting = nil
    }
}
