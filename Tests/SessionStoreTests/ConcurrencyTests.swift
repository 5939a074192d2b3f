import AuthModel
import Foundation
import SessionStore
import Synchronization
import TestSupport
import Testing

/// Several processes, and several tasks in one process.
@Suite struct ConcurrencyTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func concurrentUpdatesAreNotLost() async throws {
        let store = try await folder.open()
        let name = try Sample.name("work/a")
        var record = try Sample.record()
        record.clientID = "0"
        _ = try await store.store(record)
        let others = try [StoreTask("count", folder.path, "200"), StoreTask("count", folder.path, "200")]
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<50 {
                        try await store.update(name) { record in
                            let number = record.flatMap { Int($0.clientID) } ?? 0
                            record?.clientID = String(number + 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for other in others { #expect(try other.end() == StoreTask.End(lines: ["done"], status: 0)) }
        #expect(try await store.record(name)?.clientID == "500")
    }

    /// A program that another thread starts has copies of all descriptors for a moment, and must not keep a session's lock.
    @Test func lockEndsWhileAProgramIsStarted() async throws {
        let store = try await folder.open()
        let name = try Sample.name("work/a")
        let first = try await store.lock(name, until: .seconds(600))
        let copies = DescriptorCopies(of: folder.path + "/sessions.lock")
        #expect(copies.count >= 1)
        first.release()
        try await store.lock(name, until: .zero).release()
        withExtendedLifetime(copies) {}
    }

    @Test func concurrentOpeningsCreateOneStore() async throws {
        let others = try (0..<4).map { _ in try StoreTask("umask", folder.path, "022") }
        for other in others { #expect(try other.end().lines == ["done"]) }
        try await withThrowingTaskGroup { group in
            for number in 0..<4 {
                group.addTask { _ = try await folder.open().store(Sample.record("work/\(number)", subject: "\(number)")) }
            }
            try await group.waitForAll()
        }
        #expect(try await folder.open().summaries().count == 4)
    }

    @Test func concurrentCreationsMakeOneKey() async throws {
        let file = KeyFile(path: folder.path + "/store.key")
        let keys = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<16 { group.addTask { try file.newKey(store: "store").key } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(keys.count == 16 && keys.allSatisfy { $0 == keys.first })
        #expect(Set(try folder.files().keys) == ["store.key"])
    }

    @Test func cancelledTaskFinishesItsSave() async throws {
        let store = try await memoryStore()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.store(Sample.record())
        }
        #expect(try await task.value == Sample.record())
        #expect(try await store.summaries().count == 1)
    }

    @Test func seesAStoreThatAnotherInstanceCreates() async throws {
        let (one, two) = (try await folder.open(.passphrase), try await folder.open(.passphrase))
        try await one.unlock(passphrase: Secret("first"))
        _ = try await one.store(Sample.record())
        #expect(try await two.summaries().count == 1)
        #expect(two.storeState == .locked(isNew: false))
        #expect(await failure { try await two.unlock(passphrase: Secret("second")) } == .wrongPassphrase)
    }

    @Test func reportsChangesByOthers() async throws {
        let watcher = try await folder.open()
        var changes = watcher.changes().makeAsyncIterator()
        let other = try await folder.open()
        _ = try await other.store(Sample.record())
        #expect(await changes.next() != nil)
        #expect(try await watcher.summaries().count == 1)
        let process = try StoreTask("count", folder.path, "1")
        #expect(await changes.next() != nil)
        #expect(try process.end().lines == ["done"])
    }

    @Test func reportsTheCreationOfTheStore() async throws {
        let watcher = try await folder.open(.passphrase)
        var changes = watcher.changes().makeAsyncIterator()
        try await folder.open(.passphrase).unlock(passphrase: Secret("first"))
        #expect(await changes.next() != nil)
        #expect(try await watcher.summaries().isEmpty)
        #expect(watcher.storeState == .locked(isNew: false))
    }
}

@Suite struct LockTests {
    private let folder: Folder
    private let time = FixedCivilTime()
    private let store: SessionStore
    private let name: SessionName

    init() async throws {
        folder = try Folder()
        store = try await folder.open(time: time)
        name = try Sample.name("work/a")
    }

    @Test(arguments: [false, true])
    func allowsOneHolderAtATime(inMemory: Bool) async throws {
        let store = inMemory ? try await memoryStore(time: time) : store
        let first = try await store.lock(name, until: .seconds(600))
        #expect(await failure { _ = try await store.lock(name, until: time.bootTime + .milliseconds(50)) } == .busy)
        _ = try await store.lock(Sample.name("work/b"), until: .seconds(600))
        first.release()
        let second = try await store.lock(name, until: .seconds(600))
        first.release()
        #expect(await failure { _ = try await store.lock(name, until: time.bootTime) } == .busy)
        second.release()
    }

    @Test func releasesWithTheLastReferenceAndAfterAnError() async throws {
        _ = try await store.lock(name, until: .seconds(600))
        await #expect(throws: CancellationError.self) {
            try await store.withLock(name, until: .seconds(600)) { throw CancellationError() }
        }
        #expect(try await store.withLock(name, until: .seconds(600)) { 7 } == 7)
    }

    @Test func waitsForTheHolder() async throws {
        let first = try await store.lock(name, until: .seconds(600))
        let waiter = Task { try await store.lock(name, until: .seconds(600)) }
        first.release()
        try await waiter.value.release()
    }

    @Test func cancellationEndsTheWait() async throws {
        let first = try await store.lock(name, until: .seconds(600))
        let waiter = Task { await failure { _ = try await store.lock(name, until: .seconds(600)) } }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        first.release()
    }

    @Test func settlesOnceNoSessionIsLocked() async throws {
        let store = try await memoryStore()
        await store.waitForLockHolders()
        let lock = try await store.lock(name, until: .seconds(600))
        let isReleased = Mutex(false)
        let settling = Task {
            await store.waitForLockHolders()
            return isReleased.withLock(\.self)
        }
        for _ in 0..<100 { await Task.yield() }
        isReleased.withLock { $0 = true }
        lock.release()
        #expect(await settling.value)
        await store.shutDown()
        #expect(await failure { _ = try await store.lock(name, until: .seconds(600)) } == .cancelled)
    }

    @Test func excludesOtherProcessesAndEndsWithItsOwner() async throws {
        let holder = try StoreTask("hold", folder.path, "work/a")
        #expect(try holder.firstLine() == "held")
        let asked = ContinuousClock.now
        #expect(await failure { _ = try await store.lock(name, until: time.bootTime + .milliseconds(50)) } == .busy)
        #expect(asked.duration(to: .now) >= .milliseconds(50), "the other process had no time to release the lock")
        holder.kill()
        #expect(try holder.end().status == -SIGKILL)
        let lock = try await store.lock(name, until: .seconds(600))
        lock.release()
    }

    @Test func waitsForAnotherProcess() async throws {
        let holder = try StoreTask("hold", folder.path, "work/a")
        #expect(try holder.firstLine() == "held")
        let waiter = Task { try await store.lock(name, until: .seconds(600)) }
        holder.kill()
        #expect(try holder.end().status == -SIGKILL)
        try await waiter.value.release()
    }
}
