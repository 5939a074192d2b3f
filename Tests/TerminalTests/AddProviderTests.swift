import ProcessHarness
import TestSupport
import Testing

/// Adds providers to the configuration with the built program; the sandbox is the provider.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct AddProviderTests {
    @Test func registeredClientSignsInAtOnce() async throws {
        let app = try await AppTerminal(sandbox: ["--auto-approve", "ada"])
        let before = try app.configuration() + "\n# What stands here stays.\n"
        try app.home.configure(before)
        try await app.start()
        try await app.terminal.press("s")
        try await app.terminal.wait(for: "Add a provider…")
        try await app.terminal.press("End", "Enter")
        try await app.terminal.wait(for: "Which service?")
        // What is typed may be an address.
        try await app.terminal.type(app.sandbox.issuer)
        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "Client ID")
        try await app.terminal.press("Enter")
        try await app.terminal.wait { screen in
            screen.shows("Is this the right provider?") && screen.shows(app.sandbox.issuer)
                && screen.shows("new; registered when you confirm")
        }
        #expect(try app.configuration() == before)

        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "Welcome, ada.")
        let after = try app.configuration()
        #expect(after.hasPrefix(before))
        #expect(after.contains("[providers.local]"))
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }

    @Test func unreachableIssuerShowsAProblemAndKeepsTheForm() async throws {
        let app = try await AppTerminal()
        try await app.start()
        try await app.terminal.press("n")
        try await app.terminal.wait(for: "Which service?")
        try await app.terminal.type("http://127.0.0.1:1")
        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "Client ID")
        try await app.terminal.press("Enter", "Enter")
        try await app.terminal.type("yett")
        try await app.terminal.press("Enter", "Enter", "Enter", "Enter")
        try await app.terminal.wait(for: "Failed: Look up the provider")
        try await app.terminal.press("Escape")
        try await app.terminal.wait { $0.shows("http://127.0.0.1:1") && $0.shows("Client ID") }
    }

    @Test func providerAddedToTheFileAppearsWithoutAKeyPress() async throws {
        let app = try await AppTerminal()
        try await app.start()
        let text = try app.configuration()
        try app.home.configure(text + "\n[providers.other]\nkind = \"oidc\"\nissuer = \"\(app.sandbox.issuer)\"\nclient_id = \"other\"\n")
        try await app.terminal.wait(for: "other")
        try app.home.configure(text)
        try await app.terminal.wait { !$0.shows("other") }
    }
}

extension AppTerminal {
    fileprivate func configuration() throws -> String {
        String(decoding: try #require(home.read("config/yett/config.toml")), as: UTF8.self)
    }
}
