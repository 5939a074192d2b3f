import AuthModel
import OAuth
import Synchronization

/// The body of a request that is written while it is sent, by one writer.
package final class RequestBody: Sendable {
    /// The result of asking for more bytes to send.
    enum Portion: Equatable {
        case bytes(Int)
        /// There is nothing now; the connection pauses.
        case later
        case end
        /// The writer gave up: the request must not look complete.
        case abort
    }

    struct State {
        /// The bytes that are to be sent, and before them those that were sent and are not removed yet.
        var waiting: [UInt8] = []
        /// The number of sent bytes in ``waiting``.
        var offset = 0
        var isPaused = false
        var isComplete = false
        var isAborted = false
        var writer: CheckedContinuation<Void, Never>?
        var resume: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    /// The size of the body in bytes; `nil` if it is not known.
    package let size: Int?

    /// The number of waiting bytes at which the writer waits.
    private static let limit = 1 << 20

    /// Creates a body.
    package init(size: Int? = nil) { self.size = size }

    /// Adds bytes, and waits while too many are waiting. Returns whether the transfer still wants bytes.
    package func write(_ bytes: some Collection<UInt8>) async -> Bool {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isAborted else { return nil }
            state.waiting.append(contentsOf: bytes)
            defer { state.isPaused = false }
            return state.isPaused ? state.resume : nil
        }
        resume?()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayContinue = state.withLock { state in
                    guard state.waiting.count - state.offset >= Self.limit, !state.isAborted, !Task.isCancelled else { return true }
                    state.writer = continuation
                    return false
                }
                if mayContinue { continuation.resume() }
            }
        } onCancel: {
            wakeWriter()
        }
        return state.withLock { !$0.isAborted }
    }

    /// Ends the body.
    package func finish() { change { $0.isComplete = true } }

    /// Ends the transfer, because the rest of the body will not come, or is not wanted.
    package func abort() { change { $0.isAborted = true } }

    private func change(_ change: (inout State) -> Void) {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            change(&state)
            defer { state.isPaused = false }
            return state.isPaused ? state.resume : nil
        }
        resume?()
        wakeWriter()
    }

    private func wakeWriter() {
        state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }?.resume()
    }

    // MARK: From the transfer

    func begin(resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

    /// Fills the buffer with the next bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        let portion = state.withLock { state -> Portion in
            if state.isAborted { return .abort }
            let count = min(buffer.count, state.waiting.count - state.offset)
            guard count > 0 else {
                if state.isComplete { return .end }
                state.isPaused = true
                return .later
            }
            state.waiting.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
            }
            state.offset += count
            if state.offset == state.waiting.count {
                state.waiting.removeAll(keepingCapacity: true)
                state.offset = 0
            } else if state.offset >= max(Self.limit, state.waiting.count - state.offset) {
                // The writer may always be ahead. What moves is at most what was read since the last time.
                state.waiting.removeFirst(state.offset)
                state.offset = 0
            }
            return .bytes(count)
        }
        if case .bytes = portion { wakeWriter() }
        return portion
    }
}

/// Validates a request before any of it is sent.
enum RequestCheck {
    static func check(_ request: WebRequest, _ policy: TransportPolicy) throws(AuthFailure) {
        guard request.url.isRequestable else {
            throw AuthFailure(
                .security, UserMessage("http.plain_http_refused", ["host": request.url.origin.authority]),
                hint: "hint.use_https_except_loopback")
        }
        // The server must read the path that was checked, however it treats dots and encoded slashes.
        guard request.url.hasUnambiguousPath else {
            throw AuthFailure(
                .security, UserMessage("http.ambiguous_path", ["host": request.url.origin.authority]),
                hint: "hint.write_plain_url")
        }
        if let login = policy.webServerLogin {
            guard login.origin == request.url.origin else {
                throw AuthFailure(
                    .security,
                    UserMessage("http.password_of_other_host", ["host": request.url.origin.authority, "owner": login.origin.authority]))
            }
            // A field of the request would replace the one that carries the password.
            guard !request.headers.contains(where: { $0.name.asciiLowercased() == "authorization" }) else {
                throw AuthFailure(.bug, "http.password_and_authorization")
            }
        }
        for header in request.headers {
            guard header.name.isHTTPToken else {
                throw AuthFailure(.security, "http.invalid_header_name")
            }
            // CR, LF and NUL would end the field and start another one; no other control character is allowed either (RFC 9110 section
            // 5.5).
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw AuthFailure(.security, UserMessage("http.invalid_header_value", ["name": header.name]))
            }
        }
    }
}
