import Synchronization

/// A keyboard at which the test types, after a program has asked. A reader that is cancelled takes no line.
final class Keyboard: Sendable {
    private struct State {
        var lines: [String] = []
        var reader: (id: Int, continuation: CheckedContinuation<String?, Never>)?
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Types a line.
    func type(_ line: String) {
        let reader = state.withLock { state in
            guard let reader = state.reader else {
                state.lines.append(line)
                return nil as CheckedContinuation<String?, Never>?
            }
            state.reader = nil
            return reader.continuation
        }
        reader?.resume(returning: line)
    }

    /// Waits for the next line; returns nil if the task is cancelled.
    func line() async -> String? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let line: String?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.lines.isEmpty { return state.lines.removeFirst() }
                    state.reader = (id, continuation)
                    return nil
                }
                if let line { continuation.resume(returning: line) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                guard let reader = state.reader, reader.id == id else { return nil as CheckedContinuation<String?, Never>? }
                state.reader = nil
                return reader.continuation
            }
            reader?.resume(returning: nil)
        }
    }
}
