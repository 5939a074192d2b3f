internal import Glibc

/// A thread for work that blocks, so that it holds up no task of the cooperative pool.
public enum DetachedThread {
    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - stackSize: in bytes; `nil` for the system's usual size.
    ///   - blocksSignals: whether the thread takes no signals, so that they go to the threads that are there for them.
    /// - Returns: false where the system gives no thread; `body` is not run then.
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

    /// The result of `body`, run on a thread of its own; on the caller's where the system gives none.
    public static func run<Value: Sendable>(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            startOrRun(stackSize: stackSize) { continuation.resume(returning: body()) }
        }
    }

    /// Runs `body` on a thread of its own and does not wait for it; on the caller's where the system gives none.
    public static func startOrRun(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        if !start(stackSize: stackSize, body) { body() }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
