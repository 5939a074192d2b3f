import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The command's result for each thing that a provider can do wrong: the exit status, and a part of the message.
struct MisbehaviourTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: String
        var status: Int32
        var says: String

        init(_ fault: String, _ status: Int32, _ says: String) {
            self.fault = fault
            self.status = status
            self.says = says
        }

        var testDescription: String { fault }

        /// Several faults at once are joined by `+`.
        var faults: [String] { fault.split(separator: "+").map(String.init) }

        /// Whether the attempt waits until its deadline; all others end at once, however slow the machine is.
        var endsAtTheDeadline: Bool { says.hasPrefix("the browser did not return") || Self.ignored.contains(says) }

        private static let ignored: Set<String> = [
            "its state does not match this attempt", "it has no state", "it repeats a parameter", "neither a code nor an error",
            "both a code and an error", "it reports an error and has no state",
        ]
    }

    @Test(.serialized, arguments: rows.filter { !$0.endsAtTheDeadline })
    func failedSignInSaysWhyAndLosesNothing(row: Row) async throws {
        try await expectRefusal(row) { world, login in await world.run(login + ["--timeout", "600"]) }
    }

    /// These are ignored while the attempt waits for the right answer, until its deadline.
    @Test(arguments: rows.filter(\.endsAtTheDeadline))
    func ignoredAnswerSaysWhyAndLosesNothing(row: Row) async throws {
        try await expectRefusal(row) { world, login in
            await world.run(login + ["--timeout", "15"], untilDeadlineAfter: .seconds(15)) { await world.visit($0) }
        }
    }

    /// An existing session stays unchanged.
    private func expectRefusal(_ row: Row, signIn: (CommandWorld, _ login: [String]) async -> CommandResult) async throws {
        try await withSession(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            let before = try await world.sessions()
            await sandbox.set(try FaultSet(names: row.faults))
            // Cached metadata must not hide the faults.
            TemporaryFolder(existing: world.home + "/.cache/yett").remove()
            let result = await signIn(world, ["login", "--json", "--flow", "browser"])
            #expect(result.status == row.status)
            #expect(result.output == "")
            #expect(try result.errorObject["exit"] == .number(row.status))
            #expect(result.errors.contains(row.says), "\(result.errors)")
            #expect(result.errors.contains("yett: error: "))
            #expect(result.errors.contains("yett: hint: "))
            #expect(!result.errors.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
            #expect(try await world.sessions() == before)
        }
    }

    @Test(arguments: oddities)
    func allowedOdditiesSignIn(fault: String) async throws {
        let faultSet = try FaultSet(names: Row(fault, 0, "").faults)
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256, faultSet: faultSet)) {
            (_, world) async throws in
            let result = await world.run("login", "--json", exits: 0)
            #expect(try result.json["sessions"]?.array?.count == 1)
        }
    }

    @Test(arguments: ["id-token-hostile-names", "userinfo-hostile-names"])
    func hostileNamesReachNoTerminal(fault: String) async throws {
        let faultSet = try FaultSet(names: [fault])
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256, faultSet: faultSet)) { _, world in
            let user = CommandWorld.User(hasTerminal: true)
            for command in [["login"], ["status"], ["inspect"], ["inspect", "--json"], ["status", "--json"], ["logout"]] {
                let result = await world.run(command, user: user, exits: 0)
                let dangerous = (result.output + result.errors).unicodeScalars.filter { scalar in
                    scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
                }
                #expect(dangerous.isEmpty, "\(command)")
            }
        }
    }

    @Test func refusedRenewalAsksForANewSignIn() async throws {
        try await withSession(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { (sandbox, world) async throws in
            await sandbox.set([.refresh(.invalidGrant)])
            let first = await world.run("renew", exits: 6)
            #expect(first.errors.contains("yett: hint: sign in again"))
            #expect(try await world.sessions().first?["state"] == "needs_sign_in")
            // Final: the refused token is not sent again.
            await sandbox.set(.none)
            sandbox.clearRequests()
            #expect(await world.run("renew").status == 6)
            #expect(await world.run("token", "sandbox").status == 6)
            #expect(!sandbox.requests.contains { $0.path.contains("token") })
        }
    }

    @Test(arguments: ["refresh-503", "refresh-closed", "refresh-html"])
    func renewalWithATransientErrorKeepsTheSession(fault: String) async throws {
        try await withSession(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            await sandbox.set(try FaultSet(names: [fault]))
            #expect(await world.run(["renew"], time: HastyTime(over: world.time)).status == 7)
            await sandbox.set(.none)
            await world.run("renew", exits: 0)
        }
    }

    @Test func signOutThatTheProviderDidNotReceiveExitsWith7() async throws {
        try await withSession(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            await sandbox.set([.transport(.revocation, .unavailable)])
            let result = await world.run("logout", "--json", exits: 7)
            let receipt = try #require(try result.json["receipts"]?.array?.first)
            #expect(receipt["complete"] == false)
            let steps = try #require(receipt["steps"]?.array)
            #expect(steps.first?["outcome"] == "failed")
            #expect(steps.first?["queued"] == true)
            #expect(try await world.sessions().isEmpty)
        }
    }
}
