import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// What comes of `yett renew` in each of the ways in which a publisher renews or does not, as the vendor's own test app names them.
struct OpenWebRenewalModeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let mode: OpenWebSettings.PublisherMode
        let status: Int32
        /// What is said, beside the exit status.
        let says: String
        let session: String
        /// How often OpenWeb is asked to register the user, and how often a code is completed.
        let registrations: Int
        let completions: Int

        var testDescription: String { mode.rawValue }
    }

    static let rows = [
        Row(mode: .normal, status: 0, says: "", session: "ow/ada signed_in", registrations: 1, completions: 1),
        Row(mode: .notImplemented, status: 6, says: "status 501", session: "ow/ada guest", registrations: 0, completions: 0),
        Row(
            mode: .neverAnswers, status: 6, says: "nobody vouched for you in 1 s", session: "ow/ada guest", registrations: 0, completions: 0
        ),
        Row(
            mode: .renewsButNeverReports, status: 6, says: "nobody vouched for you in 1 s", session: "ow/ada guest", registrations: 1,
            completions: 0),
        Row(mode: .answersWithoutRenewing, status: 6, says: "code B", session: "ow/ada guest", registrations: 0, completions: 0),
    ]

    @Test func everyModeHasARow() {
        #expect(Self.rows.map(\.mode) == OpenWebSettings.PublisherMode.allCases)
    }

    @Test(arguments: rows)
    func renewalEndsAsThePublisherLetsIt(row: Row) async throws {
        // Only who waits for an answer that never comes has to be short of time.
        let waits = [.neverAnswers, .renewsButNeverReports].contains(row.mode)
        try await OpenWebCommandTests.signedIn(more: "renew_timeout = \(waits ? 1 : 30)") { server, world in
            server.change { $0.publisherMode = row.mode }
            let result = await world.run("renew", "ow")
            #expect(result.status == row.status, "\(result.errors)")
            #expect(row.says.isEmpty || result.errors.contains(row.says), "\(result.errors)")
            let states = try await OpenWebCommandTests.states(world)
            #expect(states == [row.session])
            #expect(server.calls(of: "/api/sso/v1/register-user").count == row.registrations)
            #expect(server.calls(of: "/user/sso/complete").count == row.completions)
            // Whoever was there before the renewal has been asked for once.
            #expect(server.calls(of: "/api/spotim-sso").count == 1)
        }
    }
}
