import ProcessHarness
import TestSupport
import Testing

/// Each vendor's system from start to end: choose a provider, sign in, read the status, use a token, renew, sign out.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct VendorStoryTests {
    @Test func mapsIndoors() async throws {
        let story = try await VendorTerminal("mapsindoors")
        try await story.open()
        try await story.pick()
        // Every identity provider, and the server's own choice.
        try await story.terminal.wait { screen in
            ["Choose an identity provider", "google", "microsoft", "Let the server ask"].allSatisfy(screen.shows)
        }
        try await story.terminal.press("Down", "Enter")
        try await story.terminal.wait(for: "Welcome, ada.")
        try await story.quit()

        #expect(try await story.shell("yett status").contains { $0.contains("mapsindoors/ada") && $0.contains("signed in") })
        let data = try await story.shell("yett request mapsindoors \(story.origin)/data")
        #expect(data.last == "status=0" && data.contains { $0.contains("{") })
        #expect(try await story.shell("yett renew mapsindoors 2>/dev/null").last == "status=0")

        try await story.open(showing: "mapsindoors/ada")
        try await story.signOut()
        try await story.terminal.wait(for: "Revoke the refresh token")
        try await story.quit()
        #expect(try await story.shell("yett token mapsindoors 2>&1 >/dev/null").last == "status=9")
        #expect(try await story.vendor.paths().contains("/connect/revocation"))
    }

    @Test func beyondIdentity() async throws {
        let story = try await VendorTerminal("beyond-identity")
        try await story.open()
        // Sign in and Sign up, one below the other. Signing up sends no request to Beyond Identity's authorization endpoint.
        try await story.terminal.wait { $0.shows("Sign in") && $0.shows("Sign up") }
        try await story.terminal.press("Down", "Enter")
        try await story.terminal.wait(for: "E-mail address")
        try await story.terminal.type("ada")
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "Not an e-mail address")
        try await story.terminal.type("@example.org")
        try await story.terminal.press("Enter")
        try await story.terminal.wait { $0.shows("check your email") && $0.shows("https://app.byndid.com/downloads") }
        #expect(try await !story.vendor.paths().contains("/v2/authorize"))

        // The account exists now: sign in.
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "✓ Welcome.")
        try await story.quit()

        let status = try await story.shell("yett status --json | tr , '\\n'")
        #expect(status.contains { $0.contains("\"state\":\"signed_in\"") })
        let who = try await story.shell("yett request beyond-identity \(story.origin)/session")
        #expect(who.last == "status=0" && who.contains { $0.contains("ada@example.org") })
        // The session belongs to the backend. It cannot be renewed, and the program says so.
        let renewal = try await story.shell("yett renew beyond-identity 2>&1")
        #expect(renewal.last == "status=6" && renewal.contains { $0.hasPrefix("yett: error:") })

        try await story.open(showing: "/account")
        // The backend offers no way to end its session from here, and the app does not claim that it was told.
        try await story.terminal.press("o")
        try await story.terminal.wait { $0.shows("Forget here only") && !$0.shows("Revoke") }
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "was forgotten here; the provider was not notified")
        try await story.quit()
        #expect(try await story.shell("yett token beyond-identity 2>&1 >/dev/null").last == "status=9")
    }

    /// The browser runs on another machine: the URL is readable as a whole, and the redirect is pasted.
    @Test func handOffIsExplainedAndCompletedByAPaste() async throws {
        let story = try await VendorTerminal("beyond-identity", size: .init(100, 30), browser: "none")
        try await story.open()
        try await story.pick()
        let screen = try await story.terminal.wait { screen in
            ["Sign-in URL", "authenticator", "c copy URL", "b reopen browser", "p paste URL"].allSatisfy(screen.shows)
        }
        // The backend does the rest: steps that never run are not listed.
        #expect(["Open your browser", "Seal the session"].allSatisfy(screen.shows))
        #expect(!["Discover the provider", "Exchange the code", "Check who signed in"].contains(where: screen.shows))
        try await story.terminal.press("w")
        let whole = try await story.terminal.wait { $0.address(beginning: story.origin + "/start?") != nil && !$0.shows("reopen browser") }
        let address = try #require(whole.address(beginning: story.origin + "/start?"))
        try await story.terminal.press("Escape")
        try await story.terminal.wait { $0.shows("reopen browser") }
        let answer = try await Resource.redirect(of: address, outOf: story.origin)
        #expect(answer.contains("session="))
        try await story.terminal.press("p")
        try await story.terminal.wait(for: "Paste the callback URL")
        try await story.terminal.type(answer)
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "✓ Welcome.")
        try await story.quit()
    }

    @Test func arcGIS() async throws {
        let story = try await VendorTerminal("arcgis", size: .init(200, 60))
        try await story.open()
        try await story.pick()
        try await story.terminal.wait(for: "Welcome, ada.")
        try await story.quit()

        let status = try await story.shell("yett status arcgis --json | tr , '\\n'")
        for member in ["\"username\":\"ada\"", "\"role\":\"org_admin\""] { #expect(status.contains { $0.contains(member) }, "\(member)") }
        let item = story.origin + "/sharing/rest/content/items/00000000000000000000000000000002"
        #expect(try await story.shell("yett request arcgis '\(item)'").contains { $0.contains("Traffic") })
        #expect(try await story.shell("yett renew arcgis 2>/dev/null").last == "status=0")

        // A standalone server asks for its own password, which is not shown; then the request is sent again automatically.
        try await story.terminal.enter("clear; yett request arcgis \(story.origin)/lonely/rest/services/Traffic/MapServer")
        try await story.terminal.wait(for: "User name:")
        try await story.terminal.enter("ada")
        try await story.terminal.wait(for: "Password:")
        try await story.terminal.enter(VendorTerminal.password)
        try await story.terminal.wait { $0.shows("\"user\"") && !$0.shows("horse") }

        try await story.open(showing: "arcgis/ada")
        // The server's token, which cannot be renewed, is above.
        try await story.terminal.press("End")
        try await story.terminal.wait { screen in screen.rows.contains { $0.contains("▸") && $0.contains("arcgis/ada ") } }
        try await story.signOut()
        try await story.quit()
        #expect(try await story.vendor.paths().contains("/sharing/rest/oauth2/revokeToken"))
        #expect(try await !story.shell("yett status").contains { $0.contains("arcgis/ada ") })
    }

    /// A session with process lifetime is revoked when the app quits, and no account is signed in the next time.
    @Test func processLifetimeSessionEndsWithTheApp() async throws {
        let story = try await VendorTerminal("arcgis") { $0.settings + "\nsession_lifetime = \"process\"" }
        try await story.open()
        try await story.pick()
        try await story.terminal.wait(for: "Welcome, ada.")
        #expect(try await !story.vendor.paths().contains("/sharing/rest/oauth2/revokeToken"))
        try await story.quit()
        #expect(try await story.vendor.paths().contains("/sharing/rest/oauth2/revokeToken"))
        #expect(try await !story.shell("yett status").contains { $0.contains("arcgis/") })
        try await story.open()
        try await story.terminal.wait { $0.shows("Sign in") && !$0.shows("arcgis/ada") }
        try await story.quit()
    }

    /// Without a registered application, a form replaces the browser.
    @Test func arcGISWithAPassword() async throws {
        let story = try await VendorTerminal("arcgis") { "kind = \"arcgis\"\nportal_url = \"\($0.origin)\"" }
        try await story.open()
        try await story.pick()
        try await story.terminal.wait { $0.shows("User name") && $0.shows("Password") }
        try await story.terminal.type("ada")
        try await story.terminal.press("Enter")
        try await story.terminal.type("wrong")
        try await story.terminal.press("Enter")
        try await story.terminal.wait { $0.shows("Invalid username or password") && !$0.shows("wrong") }
        // The name stays; only the password is typed again.
        try await story.terminal.type(VendorTerminal.password)
        try await story.terminal.press("Enter")
        let screen = try await story.terminal.wait(for: "Welcome, ada.")
        #expect(!screen.shows("horse"))
        try await story.quit()
        #expect(story.home.files(containing: VendorTerminal.password).isEmpty)
    }

    @Test func escapeLeavesAForm() async throws {
        let story = try await VendorTerminal("openweb")
        try await story.open()
        try await story.pick()
        try await story.terminal.wait(for: "Password")
        try await story.terminal.type("ada")
        try await story.terminal.press("Escape")
        try await story.terminal.wait(for: "sign-in cancelled")
        try await story.quit()
        #expect(try await story.vendor.paths().isEmpty)
    }

    @Test func openWeb() async throws {
        let story = try await VendorTerminal("openweb")
        // A guest at first, who is asked to sign in.
        let reading = try await story.shell("yett request openweb -X POST \(story.origin)/conversation/read 2>/dev/null")
        #expect(reading.last == "status=0" && reading.contains { $0.contains("guest-1") })
        try await story.open(showing: "Authorize to participate")
        try await story.pick()
        try await story.terminal.wait { $0.shows("User name") && $0.shows("Password") }
        try await story.terminal.type("ada")
        try await story.terminal.press("Enter")
        try await story.terminal.type(VendorTerminal.password)
        try await story.terminal.press("Enter")
        let screen = try await story.terminal.wait(for: "Welcome, ada.")
        #expect(!screen.shows("horse"))
        try await story.terminal.press("Enter")
        try await story.terminal.wait { $0.shows("openweb/ada") && !$0.shows("Authorize to participate") }
        try await story.quit()

        #expect(try await story.shell("yett status").contains { $0.contains("openweb/ada") && $0.contains("signed in") })
        let comment = "yett request openweb --require signed-in -X POST \(story.origin)/comment"
        #expect(try await story.shell(comment).contains { $0.contains("u_ada") })
        #expect(try await story.shell("yett renew openweb 2>/dev/null").last == "status=0")

        try await story.open(showing: "openweb/ada")
        try await story.signOut()
        try await story.terminal.press("Enter")
        // No account is signed in, and the guest is asked again.
        try await story.terminal.wait(for: "Authorize to participate")
        try await story.quit()

        // An action that needs a user waits for the sign-in, and is sent once.
        try await story.vendor.turn("{\"clear_log\": true}")
        try await story.terminal.enter("clear; \(comment)")
        try await story.terminal.wait(for: "User name:")
        try await story.terminal.enter("ada")
        try await story.terminal.wait(for: "Password:")
        try await story.terminal.enter(VendorTerminal.password)
        try await story.terminal.wait { $0.shows("u_ada") && !$0.shows("horse") }
        #expect(try await story.vendor.paths().count { $0 == "/comment" } == 1)
    }
}

extension TerminalScreen {
    /// Returns the URL that begins with `start`, joined from all its rows.
    fileprivate func address(beginning start: String) -> String? {
        guard let first = rows.firstIndex(where: { $0.hasPrefix(start) }) else { return nil }
        return rows[first...].prefix { !$0.isEmpty && !$0.hasPrefix(" ") }.joined()
    }
}
