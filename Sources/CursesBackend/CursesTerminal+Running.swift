internal import CTerminal
internal import Glibc
internal import Synchronization

extension CursesTerminal {
    /// Takes the terminal over, runs `body` on a thread of its own, and gives it back when that ends, with an error or without.
    ///
    /// The caller waits without holding a thread. When its task is cancelled, the terminal hands out ``TerminalUI/InputEvent/terminated``.
    ///
    /// - Throws: ``CursesFailure`` when there is no terminal to take, and whatever `body` throws.
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
                        // A cancellation from before the terminal was open found nobody to tell.
                        if isCancelled.isSet { ct_ask_to_end() }
                        let result = try body(&terminal)
                        // Before the caller goes on it may write to standard output, so the terminal is its own again by then.
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
