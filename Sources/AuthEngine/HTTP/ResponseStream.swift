import AuthModel
import OAuth
import Synchronization

/// Passes a response from the thread of libcurl to its reader: first the header, then the body in pieces.
final class ResponseStream: Sendable {
    private struct State {
        /// Kept until the reader has it; then the reader's reference alone keeps the transfer alive.
        var held: ResponseBody?
        weak var body: ResponseBody?
        var opened: CheckedContinuation<Result<StreamedResponse, AuthFailure>, Never>?
        var result: Result<StreamedResponse, AuthFailure>?
    }

    private let state: Mutex<State>

    init(_ body: ResponseBody) { state = Mutex(State(held: body, body: body)) }

    /// Waits for the header.
    func response() async -> Result<StreamedResponse, AuthFailure> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<StreamedResponse, AuthFailure>? in
                guard let result = state.result else {
                    state.opened = continuation
                    return nil
                }
                (state.result, state.held) = (nil, nil)
                return result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    // MARK: From the transfer

    /// The header is complete.
    func begin(status: Int, headers: [(name: String, value: String)]) {
        guard let body = state.withLock({ $0.held }) else { return }
        open(.success(StreamedResponse(status: status, headers: headers, body: body)))
    }

    /// Takes a piece of the body; returns whether there is room for it.
    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        // Without a reader the transfer is about to be cancelled.
        state.withLock { $0.body }?.take(piece) ?? true
    }

    /// The transfer ended.
    func end(_ result: Result<Void, AuthFailure>) {
        state.withLock { $0.body }?.finish(result)
        if case .failure(let failure) = result { open(.failure(failure)) }
    }

    private func open(_ result: Result<StreamedResponse, AuthFailure>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<StreamedResponse, AuthFailure>, Never>? in
            guard let opened = state.opened else {
                if state.held != nil, state.result == nil { state.result = result }
                return nil
            }
            (state.opened, state.held) = (nil, nil)
            return opened
        }
        waiting?.resume(returning: result)
    }
}
