import AuthModel
import Glibc
import ProcessHarness
import Testing

@testable import Agent

/// The agent's process among many callers, few descriptors, and strangers.
@Suite(.serialized) struct CrowdTests {
    private func descriptors(of process: pid_t) throws -> Int {
        let folder = try #require(opendir("/proc/\(process)/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func connectAll(_ count: Int, to place: AgentPlace) -> [Int32] {
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
            let agent = try await world.start(through: ["/usr/bin/prlimit", "--nofile=64:64"])
            let crowd = connectAll(300, to: world.place)
            #expect(crowd.count == 300)
            #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
            // Whoever came last was taken in last: by now as many of the crowd are left as there is room for, and none of the early ones.
            let left = crowd.indices.filter { isOpen(crowd[$0]) }
            #expect(left.count <= ServerLimits.fewest)
            #expect(left.allSatisfy { $0 >= crowd.count - ServerLimits.fewest }, "\(left)")
            for descriptor in crowd { close(descriptor) }
            #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
            try await world.end(agent)
        }
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
