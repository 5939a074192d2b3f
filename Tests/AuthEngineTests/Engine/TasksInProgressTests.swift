import AuthModel
import Synchronization
import Testing

@testable import AuthEngine

/// Reading what operations change while they run.
struct TasksInProgressTests {
    private let tasks = TasksInProgress<String, Int>()

    private func begin(_ key: String) { _ = tasks.join(key, orStart: { Task { .success(0) } }) }

    @Test func readsAgainAfterATaskEnded() async {
        begin("a")
        let reads = Mutex(0)
        // The first read has the value from before the end of the task.
        let value = await tasks.whileNoneEnds { () async -> Int in
            let read = reads.withLock {
                $0 += 1
                return $0
            }
            if read == 1 { tasks.remove("a") }
            return read
        }
        #expect(value == 2)
    }

    @Test func readsOnceWhileTasksStartAndRun() async {
        begin("a")
        let reads = Mutex(0)
        await tasks.whileNoneEnds { () async in
            begin("b")
            reads.withLock { $0 += 1 }
        }
        #expect(reads.withLock { $0 } == 1)
    }
}
