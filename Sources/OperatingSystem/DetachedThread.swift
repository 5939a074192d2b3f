internal import Glibc

/// Runs blocking work on threads, so that it does not block the cooperative thread pool.
public enum DetachedThread {
    /// Starts a detached thread that runs `body`.
    ///
    /// - Parameters:
    ///   - stackSize: the stack size in bytes; `nil` for the system default.
    ///   - blocksSignals: whether the thread blocks all signals, so that the threads that handle signals receive them.
    /// - Returns: false if the system cannot create a thread; `body` does not run then.
    public static func start(stackSize: Int? = nil, blocksSignals: Bool = false, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        var before = sigset_t()
        if blocksSignals {
            // The new thread inherits the mask.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, &before)
        }
        defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &before, nil) } }
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if status != 0 { work.release() }
        return status == 0
    }

    /// Runs `body` on its own thread and returns the result. Runs it on the caller's thread if the system cannot create one.
    public static func run<Value: Sendable>(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            startOrRun(stackSize: stackSize) { continuation.resume(returning: body()) }
        }
    }

    /// Runs `body` on its own thread without waiting. Runs it on the caller's thread if the system cannot create one.
    public static func startOrRun(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        if !start(stackSize: stackSize, body) { body() }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
