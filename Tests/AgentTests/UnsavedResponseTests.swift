import AuthEngine
import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import SessionStore
import TestSupport
import Testing

/// The provider has answered a renewal, and the disk rejects the write. Without an agent, only the command has the new tokens.
@Suite(.startsPrograms, .serialized)
struct UnsavedResponseTests {
    private func state(_ world: ProbeFixture) async throws -> [SessionState] { try await world.engine().sessions().map(\.recordedState) }

    /// The disk fails once, at each change in turn.
    @Test(arguments: ["full", "broken"])
    func singleDiskFailureKeepsTheSession(fault: String) async throws {
        var refusals = 0
        for at in 1...60 {
            var isOver = false
            try await ProbeFixture.run { world in
                let first = await (try world.startAlone(fault, at: at)).finish()
                #expect([0, 2].contains(first.status), "\(fault) at \(at): \(first)")
                if first.status == 2 {
                    refusals += 1
                    // The fault was detected before the refresh token was sent.
                    #expect(world.presented.isEmpty, "\(fault) at \(at)")
                }
                let presented = world.presented
                #expect(await (try world.startAlone()).finish().status == 0, "\(fault) at \(at)")
                #expect(world.presented.values.allSatisfy { $0 == 1 }, "\(fault) at \(at): \(world.presented)")
                #expect(try await state(world) == [.signedIn])
                isOver = first.status == 0 && presented.count == 1 && at > 40
            }
            if isOver { break }
        }
        #expect(refusals >= 4)
    }

    /// The disk stays full for a while after the response.
    @Test func saveIsRetriedUntilThereIsSpace() async throws {
        try await ProbeFixture.run { world in
            let mark = world.store + "/full"
            // No change fails before the response arrives.
            let renewal = try await world.startAlone("filled", at: 1_000)
            #expect(await renewal.finish().status == 0)
            for at in 1...60 {
                let before = world.presented.count
                close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                let late = try await world.startAlone("filled", at: at)
                try await eventually("the renewal neither asked nor ended") { world.presented.count > before || late.soFar.ending != nil }
                unlink(mark)
                let result = await late.finish()
                if world.presented.count > before {
                    #expect(result.status == 0, "\(result)")
                    #expect(world.presented.values.allSatisfy { $0 == 1 })
                    return
                }
                #expect(result.status == 2, "\(result)")
            }
            Issue.record("no renewal came as far as its request")
        }
    }

    @Test func signOutOnAFullDiskReportsTheRevocation() async throws {
        try await ProbeFixture.run { world in
            let mark = world.store + "/full"
            close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let result = await (try world.startAlone("filled", at: 1, to: "logout")).finish()
            #expect(result.status == 2, "\(result)")
            #expect(result.errors.contains("sandbox/ada is still in the store: the disk is full"), "\(result)")
            #expect(
                result.errors.contains("its tokens were revoked at the provider; fix the error, then run: yett logout sandbox/ada"),
                "\(result)"
            )
            #expect(world.sandbox.requests.filter { $0.path == "/revoke" }.count == 2)
            unlink(mark)
            #expect(try await state(world).count == 1)
            #expect(await (try world.startAlone(to: "logout")).finish().status == 0)
            #expect(try await state(world).isEmpty)
        }
    }
}
