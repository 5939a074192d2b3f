internal import CTerminal
internal import Glibc
internal import Synchronization

extension CursesTerminal {
    /// Opens the terminal, runs `body` on a thread of its own, and restores the terminal when `body` returns or throws.
    ///
    /// The caller waits without blocking a thread. If its task is cancelled, the terminal reports ``TerminalUI/InputEvent/terminated``.
    ///
    /// - Throws: ``CursesFailure`` if the terminal cannot be opened, and any error of `body`.
    public static func run<Result: Sendable>(
        _ options: CursesOptions = CursesOptions(), body: @escaping @Sendable (inout CursesTerminal) throws -> Result
    ) async throws -> Result {
        let isCancelled = CancelFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let started = startThread {
                    do {
                        var terminal = try CursesTerminal(options)
                        defer { terminal.close() }
                        // A cancellation before the terminal was open had no effect on it.
                        if isCancelled.isSet { ct_ask_to_end() }
                        let result = try body(&terminal)
                        // The caller may write to standard output at once, so the terminal must be restored first.
                        terminal.close()
                        continuation.resume(returning: result)
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
                if !started { continuation.resume(throwing: CursesFailure.refused) }
            }
        } onCancel: {
            isCancelled.set()
            ct_ask_to_end()
        }
    }

    private final class CancelFlag: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
