import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Several accounts at one provider, and the default account that the provider's name stands for.
struct AccountsCommandTests {
    private func run(_ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        try await withSession(.lasting) { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn("sandbox")
            try await body(server, world)
        }
    }

    private func active(_ world: CommandWorld) async throws -> [String] {
        let answer = try await world.run("accounts", "--json").json
        let accounts = answer["accounts"]?.array ?? []
        return accounts.map { "\($0["account"]?.string ?? "") \($0["active"]?.bool.map(String.init) ?? "unknown")" }
    }

    @Test func switchMakesAnAccountTheDefault() async throws {
        try await run { _, world in
            var accounts = try await active(world)
            #expect(accounts == ["ada false", "grace false"])
            let unclear = await world.run("token", "sandbox", exits: 64)
            #expect(unclear.errors.contains("yett switch sandbox ACCOUNT"))
            let switched = await world.run("switch", "sandbox", "grace", exits: 0)
            #expect(switched.output.contains("*"))
            accounts = try await active(world)
            #expect(accounts == ["ada false", "grace true"])
            #expect(await world.run("token", "sandbox").output == world.run("token", "sandbox/grace").output)
            #expect(await world.run("switch", "sandbox/ada").status == 0)
            #expect(await world.run("token", "sandbox").output == world.run("token", "sandbox/ada").output)
            #expect(await world.run("renew", "sandbox", "--json").output.contains("sandbox/ada"))
            #expect(await world.run("switch", "sandbox", "--none").status == 0)
            #expect(await world.run("token", "sandbox").status == 64)
        }
    }

    /// The providers list their accounts by name, not by their last use, which no user knows of a thousand of them.
    @Test func providersListTheirAccountsByName() async throws {
        try await run { _, world in
            let list = try await world.run("providers", "--json").json
            #expect(list["providers"]?.array?.first?["accounts"] == ["ada", "grace"])
        }
    }

    @Test func withoutProvidersTheFirstStepIsToAddOne() async throws {
        let result = await (try CommandWorld()).run("accounts", exits: 0)
        #expect(result.errors.contains("hint: begin with: yett providers add"), "\(result.errors)")
        let configured = await (try CommandWorld.configured(issuer: "http://127.0.0.1:9")).run("accounts", exits: 0)
        #expect(configured.errors.contains("hint: sign in with: yett login"), "\(configured.errors)")
    }

    /// On a terminal, `yett status` has the time left; in a pipe, both have the same list.
    @Test func sessionsShowTheirUseOnATerminal() async throws {
        try await run { _, world in
            #expect(await world.run("token", "sandbox/ada").status == 0)
            let shown = await world.run("sessions", user: .init(hasTerminal: true, columns: 100), with: ["NO_COLOR": "1"]).output
            #expect(shown.contains("LAST USED") && shown.contains("  never") && shown.contains("sandbox/ada"), "\(shown)")
            let pipe = await world.run("sessions").output
            #expect(pipe.contains("LEFT") && !pipe.contains("LAST USED"), "\(pipe)")
        }
    }

    @Test func accountCanBeNamedByItsSubject() async throws {
        try await run { _, world in
            let sessions = try await world.sessions()
            let subject = try #require(sessions.first { $0["account"] == "grace" }?["subject"]?.string)
            #expect(await world.run("switch", "sandbox", subject).status == 0)
            let accounts = try await active(world)
            #expect(accounts == ["ada false", "grace true"])
        }
    }

    @Test(arguments: [
        (["switch", "sandbox"], Int32(64), "name one: sandbox/ada, sandbox/grace"), (["switch", "sandbox", "eve"], 9, "sandbox/eve"),
        (["switch", "other", "eve"], 9, "other"), (["switch", "sandbox/ada", "grace"], 64, "twice"),
        (["switch", "sandbox", "ada", "--none"], 64, "--none"), (["switch", "sandbox", "a\u{1B}b"], 64, "account"),
    ])
    func ambiguousOrUnknownAccountIsRefused(arguments: [String], status: Int32, word: String) async throws {
        try await run { _, world in
            let result = await world.run(arguments)
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains(word))
            let accounts = try await active(world)
            #expect(accounts == ["ada false", "grace false"])
        }
    }

    @Test func onlyAccountIsTheDefault() async throws {
        try await run { (_, world) async throws in
            #expect(await world.run("logout", "sandbox/ada").status == 0)
            #expect(try await active(world) == ["grace true"])
            #expect(await world.run("accounts", "sandbox").output.contains("*"))
            #expect(await world.run("logout", "sandbox").status == 0)
            let signedOut = await world.run("accounts", "sandbox")
            #expect(signedOut.status == 0 && signedOut.output.isEmpty)
            #expect(signedOut.errors.contains("yett login sandbox"))
        }
    }
}
