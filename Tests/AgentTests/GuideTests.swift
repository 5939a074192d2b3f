import AuthModel
import FoundationEssentials
import ProcessHarness
import TestSupport
import Testing

/// The commands in the guide work as described.
@Suite(.startsPrograms, .enabled(if: Product.installed("curl") != nil, "curl is not installed"))
struct GuideTests {
    /// Returns the lines of the guide's code blocks, in order.
    private static func lines() throws -> [String] {
        let path = Product.sourceTree + "/Sources/Agent/Agent.docc/AskingByHand.md"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false)
        return blocks.enumerated().filter { $0.offset % 2 == 1 }.flatMap { $0.element.split(separator: "\n").map(String.init) }
    }

    @Test func everyCommandOfTheGuideWorks() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        let home = try TemporaryHome()
        try home.configure("[store]\nseal = \"passphrase\"\n[providers.work]\n\(sandbox.settings)\n")
        let passphrase = try home.write("correct horse\n", to: "passphrase")
        let login = try await home.yett(
            "login", "work", with: ["YETT_PASSPHRASE_FILE": passphrase, "BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")

        let lines = try Self.lines()
        #expect(lines.count > 15)
        for line in lines {
            let isStream = line.contains("/v1/events")
            // A stream ends when its reader disconnects.
            let command = isStream ? line.replacing("curl ", with: "curl --max-time 1 ") : line
            let result = try await Program(
                "/bin/sh", ["-c", command], environment: home.environment(with: ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"]),
                folder: home.path, limit: .seconds(300)
            ).run()
            // 28 is curl's status for a timeout.
            #expect(result.status == (isStream ? 28 : 0), "\(line): \(result)")
            guard !isStream, line.contains("curl") else { continue }
            let answer = try JSONValue(strict: Array(result.output.utf8), limits: .init(bytes: 1 << 20, depth: 32))
            #expect((answer["error"] != nil) == line.contains("nobody"), "\(line): \(result)")
        }
    }
}
