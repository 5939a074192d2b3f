package import AuthModel

/// Passes the user's request for a device code to the attempt in progress, and the attempt's reply to the user.
///
/// | from | by | to |
/// |---|---|---|
/// | closed | `setOffer(_:)`: a code is requested automatically, or is available | asked, offered, open |
/// | offered | `request()` | asked |
/// | asked | `finish(_:)`: the code is shown, or there is none | open, offered |
/// | open | `setOffer(.offered)`: the code has expired | offered |
/// | any | `close(_:)` | closed |
package actor DeviceCodeRequests {
    /// One element for each code to request. Finishes when this actor is deallocated.
    package nonisolated let requests: AsyncStream<Void>
    private let requestContinuation: AsyncStream<Void>.Continuation
    private var state: State
    private var waiting: [CheckedContinuation<Result<Void, AuthFailure>, Never>] = []

    private enum State {
        case closed(AuthFailure)
        case waiting(Offer)
    }

    /// The state of the device code for the user.
    package enum Offer {
        /// The user may request one.
        case offered
        /// One is requested.
        case asked
        /// One is shown.
        case open
    }

    package init() {
        (requests, requestContinuation) = AsyncStream.makeStream(of: Void.self)
        state = .closed(
            AuthFailure(
                .usage, "sign_in.not_waiting_now", hint: "hint.request_device_code_while_waiting"))
    }

    /// Sets the current state.
    package func setOffer(_ offer: Offer) { state = .waiting(offer) }

    /// Refuses requests from now on. Waiting and later callers get `reason`.
    package func close(_ reason: AuthFailure) {
        state = .closed(reason)
        answer(.failure(reason))
    }

    /// Completes the request.
    package func finish(_ outcome: Result<Void, AuthFailure>) {
        guard case .waiting(.asked) = state else { return }
        state = if case .success = outcome { .waiting(.open) } else { .waiting(.offered) }
        answer(outcome)
    }

    /// Requests a code and returns once it is shown. Requests no second one if a code is shown or requested.
    package func request() async throws(AuthFailure) {
        switch state {
        case .closed(let reason): throw reason
        case .waiting(.open): return
        case .waiting(.offered):
            state = .waiting(.asked)
            requestContinuation.yield()
        case .waiting(.asked): break
        }
        // There is no suspension in between, so the reply cannot arrive before this waits for it.
        try await withCheckedContinuation { waiting.append($0) }.get()
    }

    private func answer(_ outcome: Result<Void, AuthFailure>) {
        let answered = waiting
        waiting = []
        for continuation in answered { continuation.resume(returning: outcome) }
    }
}
