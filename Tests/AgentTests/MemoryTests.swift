import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import OperatingSystem
import TestSupport
import Testing

@testable import Agent

/// What the agent's memory contains, and who can read it.
@Suite(.startsPrograms, .serialized) struct MemoryTests {
    /// Runs a program as this user; if this user is root, who can read everything, as user 65534.
    private func asOrdinaryUser(_ words: String...) async throws -> ProgramResult {
        let drop = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let command = drop + words
        return try await Program(command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(300)).run()
    }

    /// Starts an agent as the user of ``asOrdinaryUser(_:)``; that user's programs can read its memory unless it closes it.
    private func agentOfOrdinaryUser(_ world: ProbeFixture, _ fault: String) async throws -> RunningProgram {
        guard geteuid() == 0 else { return try await world.start(fault) }
        let given = try await Program(
            "/bin/chown", ["-R", "65534:65534", world.home.path], environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(300)
        ).run()
        try #require(given.status == 0)
        return try await world.start(fault, user: 65_534)
    }

    @Test(arguments: ["maps", "mem", "environ"])
    func memoryIsClosedToOtherProgramsOfTheUser(file: String) async throws {
        try await ProbeFixture.run { world in
            let closed = try await agentOfOrdinaryUser(world, "none")
            let refused = try await asOrdinaryUser("/bin/dd", "if=/proc/\(closed.processID)/\(file)", "of=/dev/null", "count=0")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Permission denied"))
            closed.signal(SIGTERM)
            _ = await closed.finish()
            // The memory of a process that does not close it can be read.
            let open = try await agentOfOrdinaryUser(world, "open")
            let allowed = try await asOrdinaryUser("/bin/dd", "if=/proc/\(open.processID)/\(file)", "of=/dev/null", "count=0")
            #expect(allowed.status == 0, "\(allowed)")
            open.signal(SIGTERM)
            _ = await open.finish()
        }
    }

    @Test func writesNoCore() async throws {
        try await ProbeFixture.run { world in
            let agent = try await world.start()
            let limits = try #require(MemorySearch.text("/proc/\(agent.processID)/limits"))
            let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
            agent.signal(SIGABRT)
            #expect(await agent.finish().ending == .signalled(SIGABRT))
            #expect(!world.home.files.contains { $0.contains("core") })
        }
    }

    @Test func startupCodeIsReleased() throws {
        func resident() throws -> Int {
            let status = try #require(MemorySearch.text("/proc/self/status"))
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(Int(line.filter(\.isNumber)))
        }
        let before = try resident()
        ProcessMemory.releaseCode()
        #expect(try resident() < before)
    }

    @Test func lockLeavesNoSecretInMemory() async throws {
        let passphrase = Secret("a passphrase of nineteen words, or nearly so")
        try await ProbeFixture.run(passphrase: passphrase, lifetime: .seconds(3600)) { world in
            // Its memory is left open so that this test can search it; in everything else it is the agent.
            let agent = try await world.start("open", seal: "passphrase")
            try await world.client.unlock(passphrase: passphrase)
            var tokens: [Secret] = []
            for _ in 0..<5 {
                _ = try await world.client.session(world.name)
                _ = try await world.client.renew(world.name)
                tokens.append(try await world.client.token(TokenRequest(session: world.name)).token)
            }
            let refresh = world.presented.keys.map { Secret($0) }
            try #require(refresh.count >= 5)
            // A recently issued token is cached, so the search must find it.
            try await eventually("the search does not find the token that is there") {
                let held = try await world.client.token(TokenRequest(session: world.name)).token
                return try held == tokens.last && !MemorySearch.places(of: held, in: agent.processID).isEmpty
            }
            try await world.client.lock()
            for (what, secret) in [("passphrase", passphrase)] + tokens.map({ ("access token", $0) })
                + refresh.map({ ("refresh token", $0) })
            {
                // Work in progress at the time of the lock frees its memory when it ends.
                try await eventually("a piece of a \(what) is left: \(try MemorySearch.places(of: secret, in: agent.processID))") {
                    try MemorySearch.places(of: secret, in: agent.processID).isEmpty
                }
            }
            for secret in [passphrase] + tokens + refresh { #expect(world.home.files(containing: secret.reveal()) == []) }
            try await world.end(agent)
            for secret in [passphrase] + tokens + refresh { #expect(world.home.files(containing: secret.reveal()) == []) }
        }
    }
}
