internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads bytes from a file descriptor on its own queue, so that waiting for input does not block a task.
package final class ByteReader: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "reader of bytes")
    private let isCancelled = Mutex(false)

    /// The size of the largest piece, in bytes.
    private static let pieceSize = 64 << 10
    /// The maximum time that a cancelled reader waits for input, in milliseconds.
    private static let interval: Int32 = 200

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next bytes; `nil` at the end, when reading fails, and when the task is cancelled.
    package func next() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.read()) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func read() -> [UInt8]? {
        while !isCancelled.withLock({ $0 }) {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, Self.interval) != 0 else { continue }
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty, errno == EINTR || errno == EAGAIN { continue }
            return piece.isEmpty ? nil : piece
        }
        return nil
    }
}
