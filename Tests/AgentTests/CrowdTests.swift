import AuthModel
import Glibc
import ProcessHarness
import Testing

@testable import Agent

/// The agent's process among many callers, few descriptors, and strangers.
@Suite(.serialized) struct CrowdTests {
    /// As many descriptors as this process may have: those of the crowd must not be missed by the tests that run beside it.
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
            guard descriptor >= 0, let address = SocketAddress(place.socket), address.withPointer({ connect(descriptor, $0, $1) }) == 0
            else {
                if descriptor >= 0 { close(descriptor) }
                return nil
            }
            return descriptor
        }
    }

    @Test func servesInAndAfterACrowdOfTenThousand() async throws {
        try await ProbeWorld.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            let alone = try descriptors(of: agent.processID)
            var all = 0
            // In parts, since this process has its own limit of open files.
            for _ in 0..<20 {
                let crowd = connectAll(500, to: world.place)
                all += crowd.count
                #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
                #expect(try descriptors(of: agent.processID) < alone + ServerLimits().connections + 64)
                for descriptor in crowd { close(descriptor) }
            }
            #expect(all == 10_000)
            // The threads and the timers that a first request brings are its own.
            try await eventually("descriptors stay open: \(try descriptors(of: agent.processID)), at first \(alone)") {
                try descriptors(of: agent.processID) <= alone + 64
            }
            try await world.end(agent)
        }
    }

    @Test func answersWhoComesLastThoughItHasFewDescriptors() async throws {
        try await ProbeWorld.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start(through: ["/usr/bin/prlimit", "--nofile=128:128"])
            try await crowd(world, leaves: 64)
            try await world.end(agent)
        }
    }

    @Test func letsIdleOnesGoWhereThereIsNoDescriptorForOneMore() async throws {
        try await ProbeWorld.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            try await limit(agent, toMore: 16)
            try await crowd(world, leaves: 8)
            try await world.end(agent)
        }
    }

    /// Sends three hundred who want nothing, and one behind them who wants a token.
    ///
    /// - Parameter most: as many of the crowd as there is room for in the end.
    private func crowd(_ world: ProbeWorld, leaves most: Int) async throws {
        let crowd = connectAll(300, to: world.place)
        #expect(crowd.count == 300)
        #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
        // Whoever came last was taken in last, so the early ones are gone.
        let left = crowd.indices.filter { isOpen(crowd[$0]) }
        #expect(left.count <= most)
        #expect(left.allSatisfy { $0 >= crowd.count - most }, "\(left)")
        for descriptor in crowd { close(descriptor) }
        #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
    }

    /// Leaves a process so many descriptors beyond those it has open.
    private func limit(_ agent: RunningProgram, toMore room: Int) async throws {
        // The limit is one of numbers, and there may be gaps between those in use.
        let free = (0..<4096).lazy.filter { access("/proc/\(agent.processID)/fd/\($0)", F_OK) != 0 }.prefix(room)
        let count = try #require(free.last) + 1
        let done = try await Program(
            "/usr/bin/prlimit", ["--pid=\(agent.processID)", "--nofile=\(count):\(count)"], environment: [:], limit: .seconds(30)
        ).run()
        try #require(done.status == 0, "\(done)")
    }

    /// Whether the other end of a connection still has it open.
    private func isOpen(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    @Test(.enabled(if: geteuid() == 0, "being somebody else takes root"))
    func saysNothingToAnotherUserEvenWhereTheFilesWouldLetThem() async throws {
        try await ProbeWorld.run(lifetime: .seconds(3600)) { world in
            let agent = try await world.start()
            for (path, mode) in [
                (world.home.path, 0o711), (world.home.path + "/run", 0o711), (world.place.folder, 0o711), (world.place.socket, 0o666),
            ]
                as [(String, mode_t)]
            {
                try #require(chmod(path, mode) == 0)
            }
            let curl = ["/usr/bin/curl", "-sS", "--max-time", "10", "--unix-socket", world.place.socket, "http://yett/v1/sessions"]
            let own = try await Program(curl[0], Array(curl.dropFirst()), environment: ["PATH": "/usr/bin"], limit: .seconds(30)).run()
            #expect(own.output.contains("\"provider\":\"sandbox\""))
            let stranger = try await Program(
                "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + curl, environment: ["PATH": "/usr/bin"],
                limit: .seconds(30)
            ).run()
            #expect(stranger.output == "")
            #expect(stranger.status != 0, "\(stranger)")
            agent.signal(SIGTERM)
            _ = await agent.finish()
        }
    }
}
