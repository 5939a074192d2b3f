import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import System
import Testing

@testable import Agent

/// What is in the memory of the agent, and who can see it.
@Suite(.serialized) struct MemoryTests {
    /// Runs a program as this user, or as nobody where this user is root, whom nothing is hidden from.
    private func asOrdinaryUser(_ words: String...) async throws -> ProgramResult {
        let drop = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let command = drop + words
        return try await Program(command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(30)).run()
    }

    /// An agent of the user that ``asOrdinaryUser(_:)`` runs as, open to that user's programs unless it closes itself.
    private func agentOfOrdinaryUser(_ world: ProbeWorld, _ fault: String) async throws -> RunningProgram {
        guard geteuid() == 0 else { return try await world.start(fault) }
        let given = try await Program(
            "/bin/chown", ["-R", "65534:65534", world.home.path], environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(30)
        ).run()
        try #require(given.status == 0)
        return try await world.start(fault, user: 65_534)
    }

    @Test(arguments: ["maps", "mem", "environ"])
    func isClosedToOtherProgramsOfTheSameUser(file: String) async throws {
        try await ProbeWorld.run { world in
            let closed = try await agentOfOrdinaryUser(world, "none")
            let refused = try await asOrdinaryUser("/bin/dd", "if=/proc/\(closed.processID)/\(file)", "of=/dev/null", "count=0")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Permission denied"))
            closed.signal(SIGTERM)
            _ = await closed.finish()
            // The same, of a process that does not close its memory, can be read.
            let open = try await agentOfOrdinaryUser(world, "open")
            let allowed = try await asOrdinaryUser("/bin/dd", "if=/proc/\(open.processID)/\(file)", "of=/dev/null", "count=0")
            #expect(allowed.status == 0, "\(allowed)")
            open.signal(SIGTERM)
            _ = await open.finish()
        }
    }

    @Test func writesNoCore() async throws {
        try await ProbeWorld.run { world in
            let agent = try await world.start()
            let limits = try #require(MemorySearch.text("/proc/\(agent.processID)/limits"))
            let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
            agent.signal(SIGABRT)
            #expect(await agent.finish().ending == .signalled(SIGABRT))
            #expect(!world.home.files.contains { $0.contains("core") })
        }
    }

    @Test func theCodeOfTheStartIsGivenBack() throws {
        func resident() throws -> Int {
            let status = try #require(MemorySearch.text("/proc/self/status"))
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(Int(line.filter(\.isNumber)))
        }
        let before = try resident()
        ProcessMemory.releaseCode()
        #expect(try resident() < before)
    }

    @Test func nothingIsLeftInItOnceItIsLocked() async throws {
        let passphrase = Secret("a passphrase of nineteen words, or nearly so")
        try await ProbeWorld.run(passphrase: passphrase, lifetime: .seconds(3600)) { world in
            // Left open, so that whoever runs this test can look; in everything else it is the agent.
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
            // A token that was handed out a moment ago is kept for the next who asks: the search finds what there is.
            try await eventually("the search does not find the token that is there") {
                let held = try await world.client.token(TokenRequest(session: world.name)).token
                return try held == tokens.last && !MemorySearch.places(of: held, in: agent.processID).isEmpty
            }
            try await world.client.lock()
            for (what, secret) in [("passphrase", passphrase)] + tokens.map({ ("access token", $0) })
                + refresh.map({ ("refresh token", $0) })
            {
                // What was under way when the lock fell lets go of its memory as it ends.
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
