package import AuthModel
package import NIOCore
import Synchronization

/// The body of a streamed response, for one reader. Arriving pieces wait here; when they are too many, the connection pauses until the reader
/// has taken them.
package final class ResponseBody: Sendable {
    private struct State {
        var pieces: [ByteBuffer] = []
        var size = 0
        var isPaused = false
        var end: Result<Void, AuthFailure>?
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Lets the paused connection continue.
    private let resume: @Sendable () -> Void
    /// Ends the transfer.
    private let cancel: @Sendable () -> Void

    /// The number of waiting bytes at which the connection pauses.
    private static let limit = 1 << 20

    init(resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
        self.resume = resume
        self.cancel = cancel
    }

    /// Creates a body that is complete.
    package convenience init(_ bytes: [UInt8]) {
        self.init(resume: {}, cancel: {})
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes(take) }
        finish(.success(()))
    }

    deinit {
        if state.withLock({ $0.end == nil }) { cancel() }
    }

    /// Returns the next piece; `nil` at the end of the body. Throws what ended the transfer early, and `.cancelled` if the task is cancelled.
    package func next() async throws(AuthFailure) -> [UInt8]? { try await nextBuffer().map { Array($0.readableBytesView) } }

    /// Returns the next piece as it arrived, without another copy; otherwise the same as ``next()``.
    package func nextBuffer() async throws(AuthFailure) -> ByteBuffer? {
        while true {
            let (piece, end, mustResume) = state.withLock { state -> (ByteBuffer?, Result<Void, AuthFailure>?, Bool) in
                guard !state.pieces.isEmpty else { return (nil, state.end, false) }
                let piece = state.pieces.removeFirst()
                state.size -= piece.readableBytes
                // Waits until half is read, because each pause costs time.
                guard state.isPaused, state.size <= Self.limit / 2 else { return (piece, nil, false) }
                state.isPaused = false
                return (piece, nil, true)
            }
            if mustResume { resume() }
            if let piece { return piece }
            switch end {
            case .success?: return nil
            case .failure(let failure)?: throw failure
            case nil: break
            }
            if Task.isCancelled { throw CurlFailure.cancelled }
            await wait()
        }
    }

    /// Whether ``nextBuffer()`` returns without waiting.
    package var isReady: Bool { state.withLock { !$0.pieces.isEmpty || $0.end != nil } }

    /// Ends the transfer, because the rest of the body is not wanted.
    package func close() {
        finish(.failure(CurlFailure.cancelled))
        cancel()
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.pieces.isEmpty, state.end == nil, !Task.isCancelled else { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    private func wake() {
        state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }?.resume()
    }

    // MARK: From the transfer

    /// Takes a piece; returns whether there is room for it. If not, the connection pauses and gives the same piece again.
    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        let isTaken = state.withLock { state in
            guard state.size < Self.limit else {
                state.isPaused = true
                return false
            }
            state.pieces.append(ByteBuffer(bytes: piece))
            state.size += piece.count
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    /// Ends the body. Only the first end counts.
    func finish(_ result: Result<Void, AuthFailure>) {
        state.withLock { state in
            if state.end == nil { state.end = result }
        }
        wake()
    }
}
