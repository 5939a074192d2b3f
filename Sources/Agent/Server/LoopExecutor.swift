import NIOCore

/// Runs a task on the thread of an event loop.
///
/// A token that is at hand is then given out without a change of threads, which would take longer than the rest of the answer. What
/// computes or blocks for long must not run on it: the connections of the loop wait meanwhile.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
