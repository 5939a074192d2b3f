import AuthModel
import Glibc
import LocalServer
import ProcessHarness
import TestSupport
import Testing

@testable import Agent

/// The agent's process with many callers, few descriptors, and callers of another user.
@Suite(.startsProgramsAlone, .serialized) struct ConnectionLoadTests {
    /// Raises the limit of open files to the maximum, so that tests that run at the same time do not lack descriptors.
    init() throws {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        try #require(getrlimit(files, &limit) == 0)
        limit.rlim_cur = limit.rlim_max
        try #require(setrlimit(files, &limit) == 0)
    }

    private func descriptors(of process: pid_t) throws -> Int {
        let folder = try #require(opendir("/proc/\(process)/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func connectAll(_ count: Int, to place: AgentLocation) -> [Int32] {
        (0..<count).compactMap { _ in
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0, let address = UnixSocketAddress(place.socket), address.withPointer({ connect(descriptor, $0, $1) }) == 0
            else {
                if descriptor >= 0 { close(descriptor) }
                return nil
            }
            return descriptor
        }
    }

    @Test func servesDuringAndAfterTenThousandConnections() async throws {
        try await ProbeFixture.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            let alone = try descriptors(of: agent.processID)
            var all = 0
            // In batches, because this process has its own limit of open files.
            for _ in 0..<20 {
                let idleConnections = connectAll(500, to: world.place)
                all += idleConnections.count
                #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
                #expect(try descriptors(of: agent.processID) < alone + ServerLimits().connections + 64)
                for descriptor in idleConnections { close(descriptor) }
            }
            #expect(all == 10_000)
            // The threads and timers that a first request creates keep their descriptors.
            try await eventually("descriptors stay open: \(try descriptors(of: agent.processID)), at first \(alone)") {
                try descriptors(of: agent.processID) <= alone + 64
            }
            try await world.end(agent)
        }
    }

    @Test func servesTheNewestCallerWithFewDescriptors() async throws {
        try await ProbeFixture.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start(through: ["/usr/bin/prlimit", "--nofile=128:128"])
            try await idleConnections(world, leaves: 64)
            try await world.end(agent)
        }
    }

    @Test func closesIdleConnectionsWithoutAFreeDescriptor() async throws {
        try await ProbeFixture.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            try await limit(agent, toMore: 16)
            try await idleConnections(world, leaves: 8)
            try await world.end(agent)
        }
    }

    /// Opens three hundred idle connections, and then requests a token.
    /// \n - Parameter most: The number of idle connections that may stay open.
    private func idleConnections(_ world: ProbeFixture, leaves most: Int) async throws {
        let idleConnections = connectAll(300, to: world.place)
        #expect(idleConnections.count == 300)
        #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
        // The newest connections were accepted last, so the oldest were closed.
        let left = idleConnections.indices.filter { isOpen(idleConnections[$0]) }
        #expect(left.count <= most)
        #expect(left.allSatisfy { $0 >= idleConnections.count - most }, "\(left)")
        for descriptor in idleConnections { close(descriptor) }
        #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
    }

    /// Limits a process to this many descriptors beyond those it has open.
    private func limit(_ agent: RunningProgram, toMore room: Int) async throws {
        // The limit applies to descriptor numbers, and there may be gaps between those in use.
        let free = (0..<4096).lazy.filter { access("/proc/\(agent.processID)/fd/\($0)", F_OK) != 0 }.prefix(room)
        let count = try #require(free.last) + 1
        let done = try await Program(
            "/usr/bin/prlimit", ["--pid=\(agent.processID)", "--nofile=\(count):\(count)"], environment: [:], limit: .seconds(300)
        ).run()
        try #require(done.status == 0, "\(done)")
    }

    /// Returns whether the other end of a connection still has it open.
    private func isOpen(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    @Test(.enabled(if: geteuid() == 0, "changing the user requires root"))
    func refusesAnotherUserDespiteTheFilePermissions() async throws {
        try await ProbeFixture.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            for (path, mode) in [
                (world.home.path, 0o711), (world.home.path + "/run", 0o711), (world.place.folder, 0o711), (world.place.socket, 0o666),
            ]
                as [(String, mode_t)]
            {
                try #require(chmod(path, mode) == 0)
            }
            let curl = ["/usr/bin/curl", "-sS", "--max-time", "120", "--unix-socket", world.place.socket, "http://yett/v1/sessions"]
            let own = try await Program(curl[0], Array(curl.dropFirst()), environment: ["PATH": "/usr/bin"], limit: .seconds(300)).run()
            #expect(own.output.contains("\"provider\":\"sandbox\""))
            let refused = try await Program(
                "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + curl, environment: ["PATH": "/usr/bin"],
                limit: .seconds(300)
            ).run()
            #expect(refused.output == "")
            #expect(refused.status != 0, "\(refused)")
            agent.signal(SIGTERM)
            _ = await agent.finish()
        }
    }
}
