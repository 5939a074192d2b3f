import ProcessHarness

/// The built program in a real terminal, with the sandbox's system of one vendor as its only provider.
struct VendorTerminal {
    static let password = "correct horse battery staple"

    let home: TemporaryHome
    let sandbox: SandboxProvider
    let vendor: SandboxProvider.Vendor
    let terminal: TmuxTerminal

    /// The provider's name in the configuration.
    var name: String { vendor.kind }
    /// Scheme, host and port of the vendor's system.
    var origin: String { vendor.origin }

    /// Opens the terminal; the program is not started yet.
    ///
    /// - Parameters:
    ///   - settings: the keys of the provider's table, made from those that the sandbox states.
    init(
        _ kind: String, size: TmuxTerminal.Size = .init(80, 24), browser: String = Browser.following,
        settings: (SandboxProvider.Vendor) -> String = { $0.settings }
    ) async throws {
        home = try TemporaryHome()
        sandbox = try await SandboxProvider(options: ["--vendor", kind, "--auto-approve", "ada", "--request-log"])
        vendor = try sandbox.vendor(kind)
        try home.configure("[store]\nseal = \"key-file\"\n[providers.\(kind)]\n\(settings(vendor))\n")
        terminal = try await TmuxTerminal(
            home, size: size,
            with: ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": browser, "YETT_NO_AGENT": "1"])
    }

    /// Starts the app, and waits until it lists the provider.
    func open(showing text: String = "Sign in") async throws {
        try await terminal.enter("clear; yett")
        try await terminal.wait { $0.isAlternate && $0.shows(text) && !$0.shows(AppTerminal.asking) }
    }

    /// Goes from the app's first screen through the provider picker to the start of a sign-in.
    func pick(_ key: String = "s") async throws {
        try await terminal.press(key)
        try await terminal.wait(for: "Add a provider…")
        try await terminal.type(name)
        // A narrow list truncates long names.
        try await terminal.wait(for: "▸ \(name.prefix(8))")
        try await terminal.press("Enter")
    }

    /// Leaves the app, from any screen without a text field.
    func quit() async throws {
        try await terminal.press("q")
        try await terminal.wait { !$0.isAlternate && $0.foregroundProgram == "bash" }
    }

    /// Returns the lines that a command prints, and its status as the last line.
    func shell(_ line: String) async throws -> [String] {
        try await terminal.run("\(line); echo status=$?")
    }

    /// Signs out the selected session from the list of sessions, and waits for the receipt.
    func signOut() async throws {
        try await terminal.press("o")
        try await terminal.wait(for: "How do you want to sign out of")
        try await terminal.press("Enter")
        try await terminal.wait(for: "Forget the session here")
    }
}
