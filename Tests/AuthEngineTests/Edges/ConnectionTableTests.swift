import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LocalServer

/// Which connection makes room for another one, and how connections end.
struct ConnectionTableTests {
    /// Names of connections, in the order in which the table ended them.
    private final class Ended: Sendable {
        private let names = Mutex<[String]>([])

        var value: [String] { names.withLock { $0 } }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private let ended = Ended()

    /// Returns an open channel, whose other end stays open.
    private func channel() async throws -> any Channel {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).withConnectedSocket(ends[0]).get()
    }

    /// Adds a connection that the table can end without closing it.
    private func add(_ name: String, to table: ConnectionTable) async throws -> any Channel {
        let channel = try await channel()
        table.add(channel) { [ended] in ended.add(name) }
        return channel
    }

    /// Closes a connection, and waits until the table knows.
    private func close(_ channel: any Channel) async throws {
        try await channel.close()
        try await channel.closeFuture.get()
    }

    @Test func longestIdleMakesRoom() async throws {
        let table = ConnectionTable(limit: 2)
        let first = try await add("first", to: table)
        let second = try await add("second", to: table)
        #expect(table.begin(first) && table.markIdle(first))
        let third = try await add("third", to: table)
        #expect(ended.value == ["second"])
        #expect(!table.begin(second) && table.begin(third))
        for channel in [first, second, third] {
            try await close(channel)
            #expect(!table.begin(channel))
        }
    }

    @Test func busyConnectionKeepsItsPlace() async throws {
        let table = ConnectionTable(limit: 2)
        let channels = [try await add("busy", to: table), try await add("idle", to: table)]
        #expect(table.begin(channels[0]) && table.isBusy)
        let third = try await add("third", to: table)
        #expect(ended.value == ["idle"])
        for channel in channels + [third] { try await close(channel) }
    }

    /// The end of a connection that has already made room for another one lets no further client in.
    @Test func clientWaitsUntilThereIsRoom() async throws {
        let table = ConnectionTable(limit: 1)
        let idle = try await add("idle", to: table)
        await table.waitForRoom()
        #expect(ended.value == ["idle"])
        let busy = try await add("busy", to: table)
        #expect(table.begin(busy))
        let waiting = Task { [ended] in
            await table.waitForRoom()
            ended.add("waited")
        }
        for _ in 0..<100 { await Task.yield() }
        try await close(idle)
        for _ in 0..<100 { await Task.yield() }
        #expect(ended.value == ["idle"])
        try await close(busy)
        await waiting.value
        #expect(ended.value == ["idle", "waited"])
    }

    @Test func cancelledClientDoesNotWait() async throws {
        let table = ConnectionTable(limit: 1)
        let busy = try await add("busy", to: table)
        #expect(table.begin(busy))
        let waiting = Task { await table.waitForRoom() }
        waiting.cancel()
        await waiting.value
        try await close(busy)
    }

    @Test func answersAreFinishedAtTheEnd() async throws {
        let table = ConnectionTable(limit: 4)
        let (idle, busy) = (try await channel(), try await channel())
        table.add(idle)
        table.add(busy)
        #expect(table.begin(busy))
        async let closed: Void = table.close()
        try await idle.closeFuture.get()
        #expect(busy.isActive)
        try await close(busy)
        await closed
        let late = try await channel()
        table.add(late)
        try await late.closeFuture.get()
        #expect(!table.begin(busy) && !table.begin(late))
    }
}
