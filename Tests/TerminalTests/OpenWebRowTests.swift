import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// The requirements of OpenWeb, each checked with the built command against the built sandbox.
@Suite(.startsPrograms) struct OpenWebRowTests {
    private let rows: VendorRows

    init() async throws {
        rows = try await VendorRows("openweb", as: "ow")
        // The publisher's own sign-in is a separate provider, and the publisher takes its tokens for Ada.
        try rows.configure(
            without: ["publisher_login_url"], "publisher = \"pub\"\nrenew_timeout = 60",
            others: "[providers.pub]\n\(rows.sandbox.settings)")
        try await rows.turn(["takes_foreign_tokens": true, "vouches_for": "ada"])
    }

    private func signInAtThePublisher() async throws { #expect(try await rows.run("login", "pub").status == 0) }

    private func states() async throws -> [String?] {
        try await rows.sessions().filter { $0["provider"] == "ow" }.map { $0["state"]?.string }
    }

    @Test func signInStepsRunInOrderAndOnce() async throws {
        let login = try await rows.run("login", "ow")
        #expect(login.status == 0, "\(login)")
        // The publisher had no session, so the flow signed in there first.
        #expect(try await rows.sessions().first { $0["provider"] == "pub" }?["state"] == "signed_in")
        let steps = try await rows.vendor.paths().filter { !$0.hasPrefix("/config/") }
        #expect(steps == ["/user/login", "/user/sso/start", "/api/spotim-sso", "/api/sso/v1/register-user", "/user/sso/complete"])
        #expect(try await rows.sessions().first { $0["provider"] == "ow" }?["subject"] == "u_ada")
        try await rows.turn()
        #expect(try await rows.run("login", "ow").status == 10)
        #expect(try await rows.vendor.requests(at: "/user/sso/complete").isEmpty)
        #expect(try await rows.run("login", "ow", "--force").status == 0)
        #expect(try await rows.vendor.paths().first == "/user/logout")
    }

    @Test(
        arguments: [
            (["omits_code_a": true], Int32(5), "startSSO returned no code_a"),
            (["registration": "request_id"], 5, "completeSSO rejected the publisher's code (step 4)"),
            (["completes": false], 5, "completeSSO rejected the publisher's code (step 4)"),
            (["registration": "refused"], 7, "returned no code B: status 502"),
            (["answers": [["path": "/user/login", "status": 500]]], 7, "starting a guest session: status 500"),
        ] as [(JSONValue, Int32, String)])
    func errorNamesTheFailedStep(settings: JSONValue, status: Int32, says: String) async throws {
        try await signInAtThePublisher()
        try await rows.turn(settings)
        let result = try await rows.run("login", "ow")
        #expect(result.status == status && result.errors.contains(says), "\(result)")
        #expect(try await states().allSatisfy { $0 == "guest" })
    }

    /// Configures a mode that uses a JWT or a provider's token instead of codes.
    private func configure(_ mode: String, renewalSeconds: Int = 60) throws {
        try rows.configure(without: ["publisher_login_url", "codeb_url"], "renew_timeout = \(renewalSeconds)\n\(mode)")
    }

    private static let jwt = "mode = \"jwt\"\njwt_command = [\"echo\", \"sandbox.ada.jwt\"]"

    @Test func jwtAndProviderModesSignInWithoutCodes() async throws {
        try configure(Self.jwt)
        #expect(try await rows.run("login", "ow").status == 0)
        #expect(try await rows.vendor.requests(at: "/user/sso/complete").isEmpty)
        try await rows.turn(["jwt": "fails"])
        let refused = try await rows.run("login", "ow", "--force")
        #expect(refused.status == 5 && refused.errors.contains("startSSO rejected the JWT"), "\(refused)")
        try configure("mode = \"provider\"\nprovider = \"auth0\"\njwt_command = [\"echo\", \"sandbox-token-ada\"]")
        #expect(try await rows.run("login", "ow", "--force").status == 0)
    }

    @Test func guestActionWaitsForTheSignIn() async throws {
        try configure(Self.jwt)
        let refused = try await rows.run("request", "ow", "-X", "POST", "-d", "{}", rows.origin + "/comment", "--challenge", "fail")
        #expect(refused.status == 9 && refused.errors.contains("does not accept this from a guest"), "\(refused)")
        try await rows.turn()
        let done = try await rows.run("request", "ow", "-X", "POST", "-d", "{}", rows.origin + "/comment", "--challenge", "prompt")
        #expect(done.status == 0 && done.output.contains("u_ada"), "\(done)")
        let paths = try await rows.vendor.paths()
        let signedIn = try #require(paths.firstIndex(of: "/user/sso/start"))
        #expect(paths[signedIn...].filter { $0 == "/comment" }.count == 1)
    }

    @Test func refusalCausesOneSilentRenewal() async throws {
        try configure(Self.jwt)
        #expect(try await rows.run("login", "ow").status == 0)
        try await rows.turn(["refusals_403": 1])
        let results = try await withThrowingTaskGroup(of: Int32?.self) { group in
            for _ in 0..<5 {
                group.addTask { try await rows.run("request", "ow", "-X", "POST", "-d", "{}", rows.origin + "/comment").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [0, 0, 0, 0, 0])
        #expect(try await rows.vendor.requests(at: "/user/sso/start").count == 1)
        // Nothing will answer, so these two real seconds of the built program suffice on a busy machine.
        try configure(Self.jwt, renewalSeconds: 2)
        try await rows.turn(["answers": [["path": "/user/sso/start", "silent": true]]])
        let silent = try await rows.run("renew", "ow")
        #expect(silent.status == 6 && silent.errors.contains("the publisher did not confirm you within 2 s"), "\(silent)")
        #expect(try await states() == ["guest"])
    }

    @Test(arguments: [["registers_users": false], ["sso_enabled": false]] as [JSONValue])
    func userWhoCannotBeRenewedIsNotRenewed(settings: JSONValue) async throws {
        try configure(Self.jwt)
        try await rows.turn(settings)
        #expect(try await rows.run("login", "ow").status == 0)
        try await rows.turn(["refusals_403": 1])
        let read = try await rows.run("request", "ow", "-X", "POST", rows.origin + "/conversation/read")
        #expect(read.status == 0 && read.output.contains("guest-"), "\(read)")
        #expect(try await rows.vendor.requests(at: "/user/sso/start").isEmpty)
    }

    @Test func renewalForAnotherUserIsRefused() async throws {
        try await signInAtThePublisher()
        #expect(try await rows.run("login", "ow").status == 0)
        try await rows.turn(["vouches_for": "grace"])
        let renewed = try await rows.run("renew", "ow")
        #expect(renewed.status == 8 && renewed.errors.contains("another user is signed in at the publisher"), "\(renewed)")
        #expect(try await states() == ["error"])
    }

    @Test func signOutContinuesAsAGuestOfTheSameInstallation() async throws {
        try configure(Self.jwt)
        #expect(try await rows.run("login", "ow").status == 0)
        try await rows.turn()
        #expect(try await rows.run("logout", "ow").status == 0)
        let asked = try await rows.vendor.requests().filter { $0.path.hasPrefix("/user/") }
        #expect(asked.map(\.path) == ["/user/logout", "/user/data"])
        #expect(try await states() == ["guest"])
        try await rows.turn()
        #expect(try await rows.run("request", "ow", "-X", "POST", rows.origin + "/conversation/read").status == 0)
        let next = try #require(try await rows.vendor.requests(at: "/conversation/read").first)
        #expect(next.header("x-guid") == asked.first?.header("x-guid") && next.header("x-guid") != nil)
        #expect(next.header("Authorization") != asked.first?.header("Authorization"))
    }

    @Test func usersHaveSeparateTokensAndDeviceIDs() async throws {
        let file = try rows.home.write("sandbox.ada.jwt", to: "jwt")
        try configure("mode = \"jwt\"\njwt_command = [\"cat\", \"\(file)\"]")
        #expect(try await rows.run("login", "ow").status == 0)
        try rows.home.write("sandbox.grace.jwt", to: "jwt")
        #expect(try await rows.run("login", "ow", "--account", "grace").status == 0)
        try await rows.turn()
        for name in ["ow/ada", "ow/grace"] {
            let done = try await rows.run("request", name, "-X", "POST", "-d", "{}", rows.origin + "/comment")
            #expect(done.status == 0, "\(done)")
        }
        let sent = try await rows.vendor.requests(at: "/comment")
        for field in ["Authorization", "x-guid"] { #expect(Set(sent.map { $0.header(field) }).count == 2, "\(field)") }
    }
}
