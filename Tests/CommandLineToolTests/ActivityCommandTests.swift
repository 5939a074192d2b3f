import Agent
import AuthModel
import Sandbox
import Testing
import UserConfiguration

@testable import CommandLineTool

/// The activity log that is written without an agent, and read by the command.
struct ActivityCommandTests {
    @Test func tokenIssuedInThisProcessIsLogged() async throws {
        try await withSession(SignInTests.honest) { _, world in
            let token = await world.run("token", "sandbox").output.dropLast()
            #expect(!token.isEmpty)
            let report = await world.run("activity", "--json", exits: 0)
            let entries = try #require(try report.json["activity"]?.array)
            #expect(entries.first?["kind"]?.string == "handed_out")
            #expect(entries.first?["session"]?.string == "sandbox/ada")
            #expect(entries.first?["text"]?.string == "token issued to yett token")
            #expect(entries.first?["process"]?.integer != nil)
            #expect(entries.contains { $0["kind"]?.string == "signed_in" })
            #expect(!report.output.contains(token))
            #expect(await world.run("activity", "--limit", "1").output.split(separator: "\n").count == 2)
        }
    }

    @Test func appShowsEarlierActivity() async throws {
        try await withSession(SignInTests.honest) { _, world in
            _ = await world.run("token", "sandbox")
            let launch = try #require(await world.run([], user: .init(hasTerminal: true)).launch)
            #expect(try await launch.service.activity(10).first?.kind == .issued)
        }
    }

    @Test func repeatsAreOneLine() async throws {
        try await withSession(SignInTests.honest) { (_, world) async throws in
            for _ in 0..<3 { _ = await world.run("token", "sandbox") }
            let lines = await world.run("activity", "--limit", "3").output.split(separator: "\n")
            #expect(lines.count == 2 && lines.last?.contains("token issued to yett token (3 times)") == true, "\(lines)")
            #expect(try await world.run("activity", "--limit", "3", "--json").json["activity"]?.array?.count == 3)
        }
    }

    /// The process that asked is yett where the text names the program that started it.
    @Test(arguments: [
        ("/usr/bin/curl", "/usr/bin/curl", "token issued to curl (4711)"),
        ("/usr/bin/make", "yett-main", "token issued to make (yett 4711)"),
    ])
    func processIsBesideItsProgramOnATerminal(named: String, asking: String, text: String) async throws {
        let world = try CommandWorld()
        let folder = world.home + "/.local/state/yett"
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        let message = UserMessage("activity.token_issued", ["program": UserMessage.verbatim(named), "restriction": UserMessage.empty])
        let session = try #require(SessionName("work/ada"))
        let activity = Activity(at: world.time.now, kind: .issued, session: session, message: message)
        ActivityLog(folder: folder).append(ActivityRecord(activity, process: 4711, program: asking))
        let shown = await world.run("activity", user: .init(hasTerminal: true, columns: 100), with: ["NO_COLOR": "1"])
        #expect(shown.output.contains(text + "\n") && !shown.output.contains("PROCESS"), "\(shown.output)")
        let pipe = await world.run("activity").output
        #expect(pipe.contains("PROCESS") && pipe.contains("  4711\n"), "\(pipe)")
    }

    @Test func emptyActivityLogIsReported() async throws {
        let result = await (try CommandWorld()).run("activity", exits: 0)
        #expect(result.output == "")
        #expect(result.errors.contains("the activity log is empty"))
    }

    @Test(arguments: ["0", "1001", "many"])
    func invalidLimitIsRefused(count: String) async throws {
        #expect(await (try CommandWorld()).run("activity", "--limit", count).status == 64)
    }
}
