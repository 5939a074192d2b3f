internal import AuthModel

/// Brings the person's wish for a device code to the attempt that is under way, and the attempt's answer back to the person.
///
/// | from | by | to |
/// |---|---|---|
/// | closed | `note(_:)`: one is asked for unasked, or can be had | asked, offered, open |
/// | offered | `request()` | asked |
/// | asked | `settle(_:)`: the code is shown, or there is none | open, offered |
/// | open | `note(.offered)`: the code has expired | offered |
/// | any | `close(_:)` | closed |
actor DeviceCodeRequests {
    /// One element for each code that is to be asked for. Ends with the desk.
    nonisolated let requests: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation
    private var state: State
    private var waiting: [CheckedContinuation<Result<Void, AuthFailure>, Never>] = []

    private enum State {
        case closed(AuthFailure)
        case waiting(Offer)
    }

    /// What the person finds who wants a code.
    enum Offer {
        /// They may ask for one.
        case offered
        /// One is on its way.
        case asked
        /// One is shown.
        case open
    }

    init() {
        (requests, wish) = AsyncStream.makeStream(of: Void.self)
        state = .closed(
            AuthFailure(
                .usage, "this sign-in does not wait for you now", hint: "ask for a device code while it waits for your browser"))
    }

    /// Says how things stand now.
    func note(_ offer: Offer) { state = .waiting(offer) }

    /// Nobody may ask any more; those who wait for a code, and those who still ask, are told why.
    func close(_ reason: AuthFailure) {
        state = .closed(reason)
        answer(.failure(reason))
    }

    /// What became of the wish.
    func settle(_ outcome: Result<Void, AuthFailure>) {
        guard case .waiting(.asked) = state else { return }
        state = if case .success = outcome { .waiting(.open) } else { .waiting(.offered) }
        answer(outcome)
    }

    /// Returns once a code is shown. Asked while one is shown, or on its way, this asks for no second one.
    func request() async throws(AuthFailure) {
        switch state {
        case .closed(let reason): throw reason
        case .waiting(.open): return
        case .waiting(.offered):
            state = .waiting(.asked)
            wish.yield()
        case .waiting(.asked): break
        }
        // Nothing is suspended in between: the answer cannot come before somebody waits for it.
        try await withCheckedContinuation { waiting.append($0) }.get()
    }

    private func answer(_ outcome: Result<Void, AuthFailure>) {
        let answered = waiting
        waiting = []
        for person in answered { person.resume(returning: outcome) }
    }
}
