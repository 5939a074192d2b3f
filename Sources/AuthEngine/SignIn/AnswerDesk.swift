internal import AuthModel
internal import OAuth

/// Takes the answers to one authorization request, from the listener and from pasting, and settles on the first that counts.
///
/// An answer that is not this attempt's changes nothing (RFC 8252 section 8.9): nobody but the provider can end the attempt.
actor AnswerDesk {
    private let pending: PendingAuthorization
    private let report: @Sendable (SignInEvent) -> Void
    private var outcome: Result<ValidatedCallback, AuthFailure>?
    private var waiting: CheckedContinuation<Result<ValidatedCallback, AuthFailure>, Never>?
    /// How many answers were not ours.
    private(set) var ignoredCount = 0

    init(pending: PendingAuthorization, report: @escaping @Sendable (SignInEvent) -> Void) {
        self.pending = pending
        self.report = report
    }

    /// Judges the raw query of a callback.
    func judge(_ query: String) -> CallbackVerdict {
        guard outcome == nil else { return .ignored }
        switch AuthorizationResponse(query: query, for: pending) {
        case .accepted(let callback):
            settle(.success(callback))
            return .accepted
        case .denied(let error):
            settle(.failure(error.failure))
            return .denied
        case .refused(let error):
            settle(.failure(error.failure))
            return .refused
        case .ignored(let reason):
            return ignore(reason.rawValue)
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

    /// Judges what the person pasted: the whole redirect URL, or what stands behind its question mark; where the redirect is out of band,
    /// the code that the provider's page showed.
    ///
    /// Throws, and changes nothing, when it is not this attempt's answer.
    func judge(pasted text: Secret) throws(AuthFailure) {
        var answer = text.reveal().filter { !$0.isWhitespace && !$0.isNewline }[...]
        if case .accepted(let callback)? = AuthorizationResponse(shownCode: answer, for: pending) {
            settle(.success(callback))
            return
        }
        if let mark = answer.firstIndex(of: "?") {
            guard answer[..<mark] == pending.redirectURI else {
                throw AuthFailure(
                    .usage, "the pasted URL is not this sign-in's redirect",
                    hint: "copy the whole address that begins with \(pending.redirectURI) from the browser")
            }
            answer = answer[answer.index(after: mark)...]
        }
        if let hash = answer.firstIndex(of: "#") { answer = answer[..<hash] }
        guard outcome == nil else { return }
        if judge(String(answer)) == .ignored {
            throw AuthFailure(
                .security, "the pasted answer does not belong to this sign-in",
                hint: "paste the address that the browser shows after this sign-in, not after an older one")
        }
    }

    /// The answer that counts. Never returns while there is none; a cancelled task gets a failure.
    func answer() async -> Result<ValidatedCallback, AuthFailure> {
        if let outcome { return outcome }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.settle(.failure(AuthFailure(.cancelled, "the sign-in was cancelled"))) }
        }
    }

    /// What the deadline means: nobody came, or only answers that were not this attempt's, which somebody may have forged.
    func timedOut() -> AuthFailure {
        guard ignoredCount > 0 else {
            return AuthFailure(
                .timedOut, "nobody came back from the browser in time", hint: "sign in again, or give it longer with --timeout SECONDS")
        }
        let answers = ignoredCount == 1 ? "one answer was" : "\(ignoredCount) answers were"
        var failure = AuthFailure(
            .security, "the sign-in timed out, and \(answers) refused as not belonging to it",
            hint: "sign in again; if it repeats, something on this machine or in the browser interferes")
        failure.rejectedCallbacks = ignoredCount
        return failure
    }

    private func settle(_ result: Result<ValidatedCallback, AuthFailure>) {
        guard outcome == nil else { return }
        outcome = result
        waiting?.resume(returning: result)
        waiting = nil
    }
}
