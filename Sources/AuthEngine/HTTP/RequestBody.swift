import Synchronization

/// The body of a request that is written while it is sent, by one writer.
package final class RequestBody: Sendable {
    /// The next part that the connection gets when it can send more.
    enum Portion: Equatable {
        case bytes(Int)
        /// There is nothing now; the connection pauses.
        case later
        case end
        /// The writer gave up: the request must not look complete.
        case abort
    }

    private struct State {
        var waiting: [UInt8] = []
        var offset = 0
        var isPaused = false
        var isComplete = false
        var isAborted = false
        var writer: CheckedContinuation<Void, Never>?
        var resume: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
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

    /// Ends the transfer, because the rest of the body will not come.
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

    /// The number of bytes that are kept, read ones included.
    var keptSize: Int { state.withLock { $0.waiting.count } }

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

    /// Tells the writer that no more bytes are wanted.
    func end() { change { $0.isAborted = true } }
}
