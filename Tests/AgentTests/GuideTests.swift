import AuthModel
import FoundationEssentials
import ProcessHarness
import Testing

/// What the guide tells readers to type does what it says.
@Suite(.enabled(if: Product.installed("curl") != nil, "curl is not installed"))
struct GuideTests {
    /// The lines of the guide's blocks, in their order.
    private static func lines() throws -> [String] {
        let path = Product.sourceTree + "/Sources/Agent/Agent.docc/AskingByHand.md"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false)
        return blocks.enumerated().filter { $0.offset % 2 == 1 }.flatMap { $0.element.split(separator: "\n").map(String.init) }
    }

    @Test func everyLineOfTheGuideWorks() async throws {
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
            // A stream ends when its reader goes.
            let command = isStream ? line.replacing("curl ", with: "curl --max-time 1 ") : line
            let result = try await Program(
                "/bin/sh", ["-c", command], environment: home.environment(with: ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"]),
                folder: home.path, limit: .seconds(60)
            ).run()
            // 28: curl's word for the end of its time.
            #expect(result.status == (isStream ? 28 : 0), "\(line): \(result)")
            guard !isStream, line.contains("curl") else { continue }
            let answer = try JSONValue(strict: Array(result.output.utf8), limits: .init(bytes: 1 << 20, depth: 32))
            #expect((answer["error"] != nil) == line.contains("nobody"), "\(line): \(result)")
        }
    }
}
