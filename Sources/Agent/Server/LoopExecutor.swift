import NIOCore

/// Runs a task on the thread of an event loop.
///
/// A cached token is issued without a change of threads, which would take longer than the rest of the answer. Long computations and
/// blocking calls must not run on it, because the loop's connections would wait.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
