public import Glibc

/// A home in which the built programs sign in at a sandbox on demand, with a terminal.
public struct OnDemandHome: Sendable {
    /// The provider.
    public let sandbox: SandboxProvider
    /// The home.
    public let home: TemporaryHome
    private let settings: String

    /// Writes the configuration. Nothing is signed in, and no agent runs.
    ///
    /// - Parameters:
    ///   - more: settings of the provider.
    ///   - seal: how the store is sealed.
    public init(_ more: String = "", seal: String = "key-file", sandbox options: [String] = []) async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"] + options)
        home = try TemporaryHome()
        settings = "[store]\nseal = \"\(seal)\"\n[providers.sandbox]\n\(sandbox.settings)\nsign_in = \"on-demand\"\n"
        try home.configure(settings + more + "\n")
    }

    /// Adds settings to the provider.
    public func configure(_ more: String) throws { try home.configure(settings + more + "\n") }

    /// A browser that notes the sign-in's process and page, and then goes on as `next`.
    ///
    /// - Parameter next: a line of a shell script in which `$1` is the page.
    public func browser(_ next: String) throws -> String {
        try home.write("#!/bin/bash\necho $PPID >>sign-ins\necho \"$1\" >page\n\(next)\n", to: "bin/browser", permissions: 0o700)
    }

    /// A browser that goes on as far as the provider lets it.
    public func followingBrowser() throws -> String { try browser("exec \(Browser.following) \"$1\"") }

    /// The processes of the sign-ins so far.
    public var signIns: [pid_t] { text("sign-ins").split(separator: "\n").compactMap { pid_t($0) } }

    /// Returns the text of a file below the home; empty if there is none.
    public func text(_ name: String) -> String { String(decoding: home.read(name) ?? [], as: UTF8.self) }

    /// Opens a terminal in which `yett` is the built program.
    public func terminal(browser: String, with changes: [String: String?] = [:]) async throws -> TmuxTerminal {
        return try await TmuxTerminal(
            home, size: .init(120, 40), with: ["PATH": Product.searchPath, "BROWSER": browser, "DISPLAY": ":0"].merging(changes) { $1 })
    }

    /// Ends the agent, if one is running.
    public func stopAgent() async throws { _ = try await home.yett("agent", "stop") }
}
