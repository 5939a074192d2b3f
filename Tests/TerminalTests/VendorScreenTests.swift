import ProcessHarness
import TestSupport
import Testing

/// What single requirements of the vendors' systems say about the app's screens, at the smallest supported size.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct VendorScreenTests {
    /// After the backend refuses it, the address stays in its field, with the backend's message above it.
    @Test(arguments: ["409", "500"])
    func refusedSignUpKeepsTheTypedAddress(status: String) async throws {
        let story = try await VendorTerminal("beyond-identity")
        try await story.vendor.turn("{\"enroll_status\": \(status)}")
        try await story.open()
        try await story.terminal.press("Down", "Enter")
        try await story.terminal.wait(for: "E-mail address")
        try await story.terminal.type("ada@example.org")
        try await story.terminal.press("Enter")
        try await story.terminal.wait { $0.shows("status \(status)") && $0.shows("enrollment failed") && $0.shows("ada@example.org") }
        try await story.vendor.turn("{\"enroll_status\": 200}")
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "check your email")
        try await story.quit()
    }

    /// No known account, a known account, and an account whose session has ended.
    @Test func signInLabelDependsOnTheKnownAccounts() async throws {
        let story = try await VendorTerminal("arcgis")
        try await story.open()
        try await story.terminal.wait { $0.shows("Sign in") && !$0.shows("Sign in as") }
        try await story.pick()
        try await story.terminal.wait(for: "Welcome, ada.")
        try await story.quit()
        try await story.open(showing: "arcgis/ada")
        try await story.terminal.press("s")
        try await story.terminal.wait { $0.shows("as ada") && $0.shows("as another user") }
        try await story.terminal.press("Escape")
        // The list's own footer: a key right after Escape would be read as Alt with that key.
        try await story.terminal.wait(for: "o sign out")
        try await story.quit()
        try await story.vendor.turn("{\"renewal\": \"expired\"}")
        #expect(try await story.shell("yett renew arcgis 2>/dev/null").last == "status=6")
        try await story.open(showing: "sign in again")
        try await story.quit()
    }

    /// The banner appears only for guests, and only for sites that turn it on.
    @Test func guestPromptAppearsOnlyWhereTheSiteWantsIt() async throws {
        let story = try await VendorTerminal("openweb") { $0.settings.replacing("login_prompt = true", with: "login_prompt = false") }
        #expect(try await story.shell("yett request openweb -X POST \(story.origin)/conversation/read >/dev/null").last == "status=0")
        try await story.open(showing: "openweb/guest")
        try await story.terminal.wait { $0.shows("1 guest") && !$0.shows("Authorize to participate") }
        // The remaining time of a guest's session is shown too.
        try await story.terminal.wait { $0.shows(" min ") && !$0.shows("no expiry") }
        try await story.quit()
    }

    /// At 80 columns, no vendor's name is truncated, nor the account of the longest name.
    @Test func namesAreCompleteAtTheSmallestSize() async throws {
        let story = try await VendorTerminal("beyond-identity")
        try await story.open()
        try await story.pick()
        try await story.terminal.wait(for: "✓ Welcome.")
        try await story.terminal.press("Enter")
        try await story.terminal.wait(for: "beyond-identity/account")
        try await story.terminal.press("s")
        try await story.terminal.wait(for: "Beyond Identity")
        try await story.terminal.press("Escape")
        // The list's own footer: a key right after Escape would be read as Alt with that key.
        try await story.terminal.wait(for: "o sign out")
        try await story.quit()
    }
}
