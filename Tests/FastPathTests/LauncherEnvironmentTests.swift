import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import FastPath

/// Where the launcher looks for the agent's socket.
@Suite(.startsPrograms) struct LauncherEnvironmentTests {
    private func socket(_ environment: [String: String]) -> String? {
        LaunchedLine(["yett"], environment).use { _, environment in
            var address = sockaddr_un()
            guard environment.write(address: &address) else { return nil }
            return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    private func folders(_ mode: mode_t = 0o700) throws -> (home: TemporaryHome, runtime: String) {
        let home = try TemporaryHome()
        let runtime = home.path + "/run-time"
        try #require(mkdir(runtime, 0o700) == 0 && mkdir(runtime + "/yett", 0o700) == 0)
        try #require(chmod(runtime + "/yett", mode) == 0)
        return (home, runtime)
    }

    @Test func socketIsInTheRuntimeFolder() throws {
        let (home, runtime) = try folders()
        #expect(socket(["XDG_RUNTIME_DIR": runtime]) == runtime + "/yett/agent.sock")
        #expect(socket(["XDG_RUNTIME_DIR": runtime + "//"]) == runtime + "/yett/agent.sock")
        withExtendedLifetime(home) {}
    }

    @Test(arguments: [0o750, 0o701, 0o777] as [mode_t])
    func folderOfOthersIsNotUsed(mode: mode_t) throws {
        let (home, runtime) = try folders(mode)
        #expect(socket(["XDG_RUNTIME_DIR": runtime]) == nil)
        withExtendedLifetime(home) {}
    }

    @Test func linkIsNotUsed() throws {
        let (home, runtime) = try folders()
        try #require(symlink(runtime, home.path + "/link") == 0)
        #expect(socket(["XDG_RUNTIME_DIR": home.path + "/link"]) == nil)
    }

    @Test(arguments: ["/", "/missing", "/" + String(repeating: "x", count: 100)])
    func missingFolderHasNoSocket(folder: String) {
        #expect(socket(["XDG_RUNTIME_DIR": folder]) == nil)
    }

    /// As in cron, after su, and in containers. The folder may be missing on this machine.
    @Test(arguments: [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "relative"]] as [[String: String]])
    func withoutARuntimeFolderTheSocketIsInTheFallbackFolder(environment: [String: String]) {
        var found = stat()
        let folder = "/tmp/yett-\(geteuid())"
        let isThere = lstat(folder, &found) == 0
        #expect(socket(environment) == (isThere && found.st_mode & 0o077 == 0 ? folder + "/agent.sock" : nil))
    }
}
