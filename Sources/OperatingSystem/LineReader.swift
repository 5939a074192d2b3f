import Dispatch
import Glibc
import Synchronization

/// Reads lines from a file descriptor on its own thread, so that waiting for the user does not block a task.
///
/// The thread starts with the first request for a line, and reads only while a line is requested. Input at other times may be a password
/// that other code reads from the same terminal.
package final class LineReader: Sendable {
    /// The maximum length of a line in bytes; the rest is dropped.
    package static let lineLimit = 65_536

    private struct State {
        var lines: [String] = []
        var isAtEnd = false
        var isStarted = false
        var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
        var nextTicket = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    /// Wakes the thread when a request starts or ends; `nil` if no file descriptors are left, and then the thread always reads.
    private let bell = try? Pipe()

    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        guard let bell else { return }
        close(bell.readEnd)
        close(bell.writeEnd)
    }

    /// Returns the next line without its line feed; `nil` at the end of input, and when the task is cancelled.
    package func next() async -> String? {
        start()
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: String?? = state.withLock { state in
                    if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
                    if state.isAtEnd || Task.isCancelled { return .some(nil) }
                    state.waiting[ticket] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) } else { ring() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
            ring()
        }
    }

    private func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        DetachedThread.startOrRun { self.readAll() }
    }

    private func readAll() {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            waitUntilWanted()
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in chunk[..<count] {
                if byte == UInt8(ascii: "\n") {
                    deliver(line)
                    line = []
                } else if line.count < Self.lineLimit {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { deliver(line) }
        finish()
    }

    private func ring() {
        var byte: UInt8 = 0
        if let bell { _ = write(bell.writeEnd, &byte, 1) }
    }

    /// Waits until there is input and a request for a line.
    private func waitUntilWanted() {
        guard let bell else { return }
        while true {
            let isWanted = state.withLock { !$0.waiting.isEmpty }
            // poll ignores negative descriptors.
            var ends = [
                pollfd(fd: bell.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWanted ? descriptor : -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ends, 2, -1) > 0 else { continue }
            if ends[0].revents != 0 {
                var rings = [UInt8](repeating: 0, count: 64)
                _ = read(bell.readEnd, &rings, rings.count)
            } else if ends[1].revents != 0 {
                return
            }
        }
    }

    private func deliver(_ bytes: [UInt8]) {
        let line = String(decoding: bytes, as: UTF8.self)
        let first = state.withLock { state -> CheckedContinuation<String?, Never>? in
            guard let ticket = state.waiting.keys.min() else {
                state.lines.append(line)
                return nil
            }
            return state.waiting.removeValue(forKey: ticket)
        }
        first?.resume(returning: line)
    }

    private func finish() {
        let waiting = state.withLock { state in
            state.isAtEnd = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }
}

/// Reads bytes from a file descriptor on its own queue, so that waiting for input does not block a task.
package final class ByteReader: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "reader of bytes")
    private let isCancelled = Mutex(false)

    /// The size of the largest piece, in bytes.
    private static let pieceSize = 64 << 10
    /// The longest time that a cancelled reader waits for input, in milliseconds.
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
