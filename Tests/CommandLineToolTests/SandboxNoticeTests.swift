import AuthModel
import ProcessHarness
import Testing

@testable import CommandLineTool

/// The configuration that `yett sandbox` prints.
struct SandboxNoticeTests {
    /// The commented-out keys replace the keys above them, and work unchanged.
    @Test(arguments: ["direct", "secure-access"])
    func everyPrintedModeSignsIn(mode: String) async throws {
        let sandbox = try await SandboxProvider(options: ["--vendor", "beyond-identity", "--auto-approve", "ada"])
        let lines = sandbox.configuration.split(separator: "\n").map(String.init)
        let first = lines.firstIndex(of: "# mode = \"\(mode)\"") ?? lines.endIndex
        let keys = lines[first...].prefix { $0.hasPrefix("# ") && $0.contains(" = ") }.map { String($0.dropFirst(2)) }
        let world = try CommandWorld()
        try world.configure((["[providers.bi]", "kind = \"beyond-identity\"", "login_timeout = 60"] + keys).joined(separator: "\n"))
        let result = await world.run("login", "bi")
        #expect(result.status == 0, "\(keys) \(result.errors)")
    }

    @Test func manualStatesTheOpenWebCredentials() async throws {
        let world = try CommandWorld()
        let page = await world.run("help", "sandbox-vendors").output
        for word in ["sandbox.ada.jwt", "sandbox-token-ada", "acme-cloud"] { #expect(page.contains(word)) }
    }

    /// `yett sandbox` becomes `yett-sandbox` with the same options.
    @Test func optionsArePassedOn() async throws {
        let options = ["--fault=discovery-issuer-other", "--vendor=none", "--set=arcgis.tls=off", "--request-log", "--json"]
        let result = await (try CommandWorld()).run(["sandbox"] + options)
        let program = try Product.program("yett-sandbox")
        #expect(result.replacement?.arguments == [program] + options)
        for options in [["--help"], ["--nonsense"], ["--port", "70000", "--", "-x"], []] {
            #expect(await (try CommandWorld()).run(["sandbox"] + options).replacement?.arguments == [program] + options)
        }
    }

    @Test func examplesAreValid() async throws {
        let home = try TemporaryHome()
        for (line, _) in SandboxCommand.examples {
            let words = line.split(separator: " ").dropFirst(2).map(String.init)
            // After all options are read, this one only prints a list.
            #expect(try await home.program("yett-sandbox", words + ["--list-faults"]).run().status == 0, "\(line)")
        }
    }

    /// Both come from the installed program.
    @Test func helpAndCompletionsHaveTheOptionsOfTheProgram() async throws {
        let page = await (try CommandWorld()).run("help", "sandbox").output
        for word in ["--auto-approve <user>", "--list-vendors", "--config <file>"] { #expect(page.contains(word)) }
        let offered = await (try CommandWorld()).run("complete", "zsh", "--", "yett", "sandbox", "--").output
        for word in ["--auto-approve\t", "--list-vendors\t", "--config\t"] { #expect(offered.contains(word)) }
    }

    @Test func formerNameOfListSettingsStillWorks() async throws {
        let home = try TemporaryHome()
        let former = try await home.program("yett-sandbox", ["--list-knobs"]).run()
        #expect(former.status == 0)
        #expect(try await former.output == home.program("yett-sandbox", ["--list-settings"]).run().output)
    }

    @Test(arguments: [
        ["--auto-approve", "unknown"], ["--fault", "nonsense"], ["--algorithm", "none"], ["--vendor", "nonsense"], ["--set", "arcgis.tls"],
        ["--set", "arcgis.nonsense=1"], ["--refresh-tokens", "sometimes"], ["--port", "70000"], ["--nonsense"],
    ])
    func unknownNamesAndValuesExitWith64(arguments: [String]) async throws {
        let home = try TemporaryHome()
        let result = try await home.program("yett-sandbox", arguments).run()
        #expect(result.status == 64, "\(result)")
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("yett: error: "), "\(result.errors)")
    }

    @Test func withoutTheProgramThePackageIsNamed() async throws {
        let home = try TemporaryHome()
        let program = try home.install(try Product.program("yett-main"), as: "bin/yett-main")
        let environment = home.environment(with: [:])
        let result = try await Program(
            program, ["sandbox"], environment: environment, folder: home.path, input: "", limit: .seconds(300)
        ).run()
        #expect(result.status == 2, "\(result)")
        #expect(result.errors.contains("install the package yett-sandbox"), "\(result.errors)")
    }
}
