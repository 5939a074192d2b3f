import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// The result of `yett renew` for each renewal behaviour of a publisher, with the names of the vendor's own test app.
struct OpenWebRenewalModeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let mode: OpenWebSettings.PublisherMode
        let status: Int32
        /// A part of the message.
        let says: String
        let session: String
        /// How often OpenWeb must register the user, and how often a code is completed.
        let registrations: Int
        let completions: Int

        var testDescription: String { mode.rawValue }
    }

    static let rows = [
        Row(mode: .normal, status: 0, says: "", session: "ow/ada signed_in", registrations: 1, completions: 1),
        Row(mode: .notImplemented, status: 6, says: "status 501", session: "ow/ada guest", registrations: 0, completions: 0),
        Row(
            mode: .neverAnswers, status: 6, says: "the publisher did not confirm you within 1 s", session: "ow/ada guest", registrations: 0,
            completions: 0
        ),
        Row(
            mode: .renewsButNeverReports, status: 6, says: "the publisher did not confirm you within 1 s", session: "ow/ada guest",
            registrations: 1,
            completions: 0),
        Row(mode: .answersWithoutRenewing, status: 6, says: "code B", session: "ow/ada guest", registrations: 0, completions: 0),
    ]

    @Test func everyModeHasARow() {
        #expect(Self.rows.map(\.mode) == OpenWebSettings.PublisherMode.allCases)
    }

    @Test(arguments: rows)
    func renewalResultDependsOnThePublisher(row: Row) async throws {
        // The last request before the publisher falls silent.
        let last: String? =
            switch row.mode {
            case .neverAnswers: "/api/spotim-sso"
            case .renewsButNeverReports: "/api/sso/v1/register-user"
            default: nil
            }
        try await OpenWebCommandTests.signedIn(more: "renew_timeout = \(last == nil ? 600 : 1)") { (server, world) async throws in
            server.change { $0.publisherMode = row.mode }
            let result =
                if let last {
                    await world.run(["renew", "ow"], untilDeadlineAfter: .seconds(1), from: last, among: server.followRequests())
                } else {
                    await world.run("renew", "ow")
                }
            #expect(result.status == row.status, "\(result.errors)")
            #expect(row.says.isEmpty || result.errors.contains(row.says), "\(result.errors)")
            #expect(try await OpenWebCommandTests.states(world) == [row.session])
            #expect(server.calls(of: "/api/sso/v1/register-user").count == row.registrations)
            #expect(server.calls(of: "/user/sso/complete").count == row.completions)
            // The publisher was asked for a code once.
            #expect(server.calls(of: "/api/spotim-sso").count == 1)
        }
    }
}
