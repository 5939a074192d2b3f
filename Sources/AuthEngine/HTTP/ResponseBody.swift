package import AuthModel
package import NIOCore
import Synchronization

/// The body of a streamed response, for one reader. Arriving pieces wait here; when they are too many, the connection pauses until the
/// reader has taken them.
package final class ResponseBody: Sendable {
    private struct State {
        var pieces = WaitingPieces()
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
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes(receive) }
        finish(.success(()))
    }

    deinit {
        if state.withLock({ $0.end == nil }) { cancel() }
    }

    /// Returns the next piece; `nil` at the end of the body. Throws what ended the transfer early, and `.cancelled` if the task is
    /// cancelled.
    package func next() async throws(AuthFailure) -> [UInt8]? { try await nextBuffer().map { Array($0.readableBytesView) } }

    /// Returns the next piece as it arrived, without another copy; otherwise the same as ``next()``.
    package func nextBuffer() async throws(AuthFailure) -> ByteBuffer? {
        while true {
            let (piece, end, mustResume) = state.withLock { state -> (ByteBuffer?, Result<Void, AuthFailure>?, Bool) in
                guard let piece = state.pieces.popFirst() else { return (nil, state.end, false) }
                // Waits until half is read, because each pause costs time.
                guard state.isPaused, state.pieces.size <= Self.limit / 2 else { return (piece, nil, false) }
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

    /// Receives a piece; returns whether there is room for it. If not, the connection pauses and gives the same piece again.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        let isKept = state.withLock { state in
            guard state.pieces.size < Self.limit else {
                state.isPaused = true
                return false
            }
            state.pieces.append(piece)
            return true
        }
        if isKept { wake() }
        return isKept
    }

    /// Ends the body. Only the first end counts.
    func finish(_ result: Result<Void, AuthFailure>) {
        state.withLock { state in
            if state.end == nil { state.end = result }
        }
        wake()
    }
}

/// Pieces of a body in their order. Small ones join, so that a server that sends single bytes makes no more of them than one that sends the
/// same body in larger pieces.
struct WaitingPieces {
    /// All pieces but the last one, which may still grow.
    private var complete = CircularBuffer<ByteBuffer>()
    private var last: ByteBuffer?
    /// The number of bytes in all pieces.
    private(set) var size = 0

    /// A smaller piece, in bytes, joins the one before it.
    private static let small = 4 << 10
    /// The size up to which a piece grows, in bytes.
    private static let joined = 64 << 10

    var isEmpty: Bool { last == nil }
    /// The number of pieces. Two neighbours have at least ``small`` bytes together.
    var count: Int { complete.count + (last == nil ? 0 : 1) }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        size += piece.count
        guard piece.count < Self.small, (last?.readableBytes ?? Self.joined) + piece.count <= Self.joined else {
            if let last { complete.append(last) }
            return last = ByteBuffer(bytes: piece)
        }
        last?.writeBytes(piece)
    }

    mutating func popFirst() -> ByteBuffer? {
        let piece = complete.popFirst() ?? last.take()
        size -= piece?.readableBytes ?? 0
        return piece
    }
}
