import AuthModel
import ProcessHarness
import Sandbox
import OperatingSystem
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Runs a sandbox with a session, in a home in which tools find the built programs.
func withSetupWorld(
    _ sandbox: SandboxConfiguration = SignInTests.honest, more: String = "", _ body: (SandboxServer, CommandWorld) async throws -> Void
) async throws {
    try await withSandbox(sandbox, more: more) { server, world in
        try await world.signIn("sandbox")
        try await body(server, world)
    }
}

extension CommandWorld {
    /// The variables in which tools find each other, and yett works without an agent.
    var toolEnvironment: [String: String] {
        var variables = ["YETT_NO_AGENT": "1", "PATH": "\(home)/.local/bin:\(Product.folder):\(Self.systemPath)"]
        // A program built for tests finds the Swift runtime where this program found it.
        variables["LD_LIBRARY_PATH"] = Product.environment("LD_LIBRARY_PATH")
        return variables
    }

    private static var systemPath: String { Product.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin" }

    /// Runs `yett setup` with these arguments.
    @discardableResult
    func setUp(
        _ arguments: String..., user: User = User(), with extra: [String: String] = [:], exits status: Int32? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async -> CommandResult {
        await run(["setup"] + arguments, user: user, with: toolEnvironment.merging(extra) { $1 }, exits: status, at: place)
    }

    /// Runs a tool in this home, and returns its output. Fails the test if the tool fails.
    @discardableResult
    func tool(_ words: String..., input: String = "") throws -> String {
        let exchange = try exchange(words, input: input)
        #expect(exchange.status == 0, "\(words): \(String(decoding: exchange.errors, as: UTF8.self))")
        return String(decoding: exchange.output, as: UTF8.self)
    }

    /// Runs a tool in this home, which may fail.
    func exchange(_ words: String...) throws -> CommandExchange { try exchange(words) }

    private func exchange(_ words: [String], input: String = "") throws -> CommandExchange {
        try CommandExchange.run(
            words[0], Array(words.dropFirst()), environment: environment.merging(toolEnvironment) { $1 }, input: Array(input.utf8),
            limit: 1 << 20, deadline: .seconds(300))
    }

    /// Writes a file below the home.
    func write(_ text: String, to path: String) throws {
        let full = "\(home)/\(path)"
        try PrivateFile.makeDirectory(String(full[..<(full.lastIndex(of: "/") ?? full.startIndex)]))
        try PrivateFile.replace(full, with: Array(text.utf8))
    }

    /// Writes a program to the folder of programs below the home, before all others in `PATH`.
    func writeProgram(_ name: String, _ text: String) throws {
        try write("#!/bin/bash\n" + text, to: ".local/bin/" + name)
        try FileSnapshot.makeProgram("\(home)/.local/bin/\(name)")
    }

    /// The content of a file below the home; nil if there is none.
    func content(_ path: String) throws -> String? {
        try PrivateFile.read("\(home)/\(path)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether a file is below the home.
    func has(_ path: String) -> Bool { FileStatus.exists("\(home)/\(path)") }

    /// Returns a folder with links to installed programs, to be the whole `PATH`.
    func folder(with names: String...) throws -> String {
        let folder = home + "/some-programs"
        try PrivateFile.makeDirectory(folder)
        for name in names {
            let path = try #require(name.hasPrefix("yett") ? try Product.program(name) : Product.installed(name))
            try tool("ln", "-s", path, "\(folder)/\(name)")
        }
        return folder
    }
}
