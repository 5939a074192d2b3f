import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// The body that creates an account at a backend, where the configuration sets it.
struct BeyondIdentitySignUpTests: BeyondIdentityWorld {
    private static let body = #"signup_body = '{"email": "{email}", "display_name": "{display_name}", "source": {"app": "yett"}}'"#

    private func posted(_ server: VendorServer<BeyondIdentitySettings>) throws -> [JSONValue] {
        try server.calls(of: "/enroll").map { try JSONValue(strict: $0.body) }
    }

    @Test(arguments: [
        (
            ["--email", "new@example.org", "--display-name", "Ada \"the\" {email}"],
            #"{"email":"new@example.org","display_name":"Ada \"the\" {email}","source":{"app":"yett"}}"#
        ),
        (["--email", "new@example.org"], #"{"email":"new@example.org","source":{"app":"yett"}}"#),
    ])
    func placeholdersAreReplacedByAnswers(options: [String], body: String) async throws {
        try await mediated(more: Self.body) { (server, world) async throws in
            await world.run(["signup", "bi"] + options, exits: 0)
            #expect(try posted(server).map(\.text) == [body])
            // The sign-up succeeded, so the log has no failure.
            #expect(try await world.run("activity", "--json").json["activity"]?.array?.isEmpty == true)
        }
    }

    @Test(arguments: [("Ada", "Ada" as JSONValue?), ("", nil)])
    func optionalDisplayNameIsAskedFor(name: String, sent: JSONValue?) async throws {
        try await mediated(more: Self.body) { (server, world) async throws in
            let result = await world.run("signup", "bi", user: .init(hasTerminal: true, lines: ["new@example.org", name]), exits: 0)
            #expect(result.errors.contains("Display name:"))
            #expect(try posted(server).map { $0["display_name"] } == [sent])
        }
    }

    /// Without a terminal, the hint names the option.
    @Test(arguments: ["signup", "recover"])
    func missingEmailNamesTheOption(command: String) async throws {
        try await mediated(more: "recover_url = \"{origin}/recover\"") { server, world in
            let result = await world.run(command, "bi", exits: 64)
            #expect(result.errors.contains("yett: hint: give --email, run this in a terminal, or write to standard input"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func displayNameWithoutAPlaceholderIsRefused() async throws {
        try await mediated(more: "") { server, world in
            let result = await world.run("signup", "bi", "--email", "new@example.org", "--display-name", "Ada", exits: 64)
            #expect(result.errors.contains("--display-name") && server.requests.isEmpty)
        }
    }

    @Test(arguments: [
        ("signup_body = 'email={email}'", "is not a JSON object"), ("signup_body = '[\"{email}\"]'", "is not a JSON object"),
        ("signup_body = '{\"mail\": \"x\"}'", "with {email}"),
        ("signup_kind = \"browser\"\n\(body)", "'signup_body' is not allowed here"),
    ])
    func invalidBodiesAreRefused(setting: String, message: String) async throws {
        try await mediated(more: setting) { server, world in
            let result = await world.run("signup", "bi", "--email", "new@example.org", exits: 2)
            #expect(result.errors.contains(message) && server.requests.isEmpty, "\(result.errors)")
        }
    }

    @Test func bodyIsShownAsConfigured() async throws {
        try await mediated(more: Self.body) { _, world in
            let shown = await world.run("providers", "show", "bi", "--json")
            let text = try #require(try shown.json["provider"]?["signup_body"]?.string)
            #expect(try JSONValue(strict: text)["display_name"] == "{display_name}")
        }
    }
}
