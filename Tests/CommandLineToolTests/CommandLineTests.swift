import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The command line itself: its mistakes, and the pages that it prints.
struct CommandLineTests {
    @Test(arguments: [
        ["logn"], ["--nonsense"], ["status", "--nonsense"], ["status", "a", "b"], ["token", "work", "--min-valid", "soon"],
        ["token", "work", "--min-valid", "-1"], ["token", "work", "--json", "--header"], ["token", "-work"], ["status", "a b"],
        ["login", "--port", "0"], ["login", "--port", "65536"], ["login", "--timeout", "0"], ["login", "--max-age", "-1"],
        ["login", "--flow", "telepathy"], ["login", "--prompt", "now"], ["login", "--scope", "a\"b"], ["login", "--account", "a\u{1B}b"],
        ["logout", "--all", "work"], ["logout", "--local", "--browser"], ["renew", "--all", "work"], ["exec", "work"],
        ["exec", "work", "true"],
        ["providers", "add"], ["providers", "add", "ftp://a"], ["providers", "add", "https://a", "--kind", "saml", "--client-id", "a"],
        ["providers", "nonsense"], ["demo"], ["--config"], ["--config="],
        ["theme", "show", "a", "b"],
    ])
    func usageErrorExitsWith64(arguments: [String]) async throws {
        let world = try CommandWorld()
        let result = await world.run(arguments, exits: 64)
        #expect(result.output == "")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(result.errors)")
        #expect(lines.first?.hasPrefix("yett: error: ") == true)
        #expect(lines.last?.hasPrefix("yett: hint: ") == true)
        #expect(!result.errors.contains("\u{1B}"))
    }

    @Test func misspeltCommandGetsASuggestion() async throws {
        let result = await (try CommandWorld()).run("logn")
        #expect(result.errors == "yett: error: unknown command 'logn'\nyett: hint: did you mean: yett login?\n")
    }

    /// The parser proposes an option with at most three other letters: for `--user`, `--json`.
    @Test(arguments: [
        (["login", "--user", "ada"], "unknown option '--user'", "see: yett login --help"),
        (["login", "--acount", "ada"], "unknown option '--acount'", "did you mean --account?"),
        (
            ["login", "--flow", "telepathy"], "the value 'telepathy' is invalid for '--flow <flow>'",
            "use one of: 'auto', 'browser', 'device' or 'manual'"
        ),
        (["--config", "none.toml", "logn"], "unknown command 'logn'", "did you mean: yett login?"),
    ])
    func mistakeGetsACorrectionOnlyIfItIsNear(arguments: [String], error: String, hint: String) async throws {
        #expect(await (try CommandWorld()).run(arguments).errors == "yett: error: \(error)\nyett: hint: \(hint)\n")
    }

    @Test func manyPossibleValuesAreListed() {
        let message = "Error: The value 'x' is invalid for '--kind <kind>'. Please provide one of the following:\n  - oidc\n  - aws-sso"
        let (summary, correction) = CommandLineError.parts(of: message)
        #expect(summary == "the value 'x' is invalid for '--kind <kind>'" && correction == "use one of: oidc, aws-sso")
    }

    @Test(arguments: [
        ["--help"], ["--version"], ["help"], ["help", "login"], ["login", "--help"], ["providers", "--help"],
        ["providers", "add", "--help"],
        ["theme", "check", "-h"],
    ])
    func helpAndVersionPrintToStandardOutput(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(arguments, exits: 0)
        #expect(!result.output.isEmpty)
        #expect(result.errors == "")
    }

    @Test func globalOptionsStandAnywhereBeforeTheTerminator() throws {
        let (options, rest) = try GlobalOptions.extract(from: ["--plain", "status", "--config=x", "--no-agent", "--", "--config", "y"])
        #expect(options == GlobalOptions(configuration: "x", isPlain: true, disablesAgent: true))
        #expect(rest == ["status", "--", "--config", "y"])
    }

    @Test(arguments: [
        ["helper", "keyring", "get", "https://example.org/", "--config=evil.toml"],
        ["helper", "git", "--config", "evil.toml", "--no-agent"],
        ["ssh", "host", "--log", "--plain"],
    ])
    func wordsOfOtherProgramsAreNoGlobalOptions(words: [String]) throws {
        let (options, rest) = try GlobalOptions.extract(from: ["--no-agent"] + words)
        #expect(options == GlobalOptions(disablesAgent: true))
        #expect(rest == words)
        #expect(try GlobalOptions.extract(from: ["help", "helper", "git", "--plain"]).options.isPlain)
    }

    @Test func configurationOptionOverridesTheVariable() async throws {
        let world = try CommandWorld()
        try PrivateFile.replace(world.home + "/mine.toml", with: Array("[nonsense]\n".utf8))
        let named = await world.run("--config", "mine.toml", "status", exits: 2)
        #expect(named.errors.contains("\(world.home)/mine.toml:1: unknown key 'nonsense'"))
        #expect(await world.run("status", with: ["YETT_CONFIG": world.home + "/mine.toml"]).errors == named.errors)
        // It would be another file in each folder.
        let relative = await world.run("status", with: ["YETT_CONFIG": "mine.toml"])
        #expect(relative.status == 2 && relative.errors.contains("YETT_CONFIG is no absolute path: 'mine.toml'"), "\(relative.errors)")
        let missing = await world.run("status", "--config", "/nowhere/x.toml", with: ["YETT_CONFIG": world.home + "/mine.toml"], exits: 2)
        #expect(missing.errors.contains("configuration file /nowhere/x.toml not found"))
    }

    @Test(arguments: [[:], ["HOME": "relative"]])
    func missingHomeIsReported(environment: [String: String]) async throws {
        let world = try CommandWorld()
        let result = await world.run("status", with: ["HOME": environment["HOME"] ?? ""], exits: 2)
        #expect(result.errors == "yett: error: HOME is not set to an absolute path\nyett: hint: set HOME, or XDG_CONFIG_HOME\n")
    }

    @Test func relativeDirectoryVariablesAreIgnored() throws {
        let directories = Directories(environment: [
            "HOME": "/h/", "XDG_CONFIG_HOME": "here", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "/s//",
        ])
        #expect(try directories.configuration == "/h/.config/yett")
        #expect(try directories.data == "/h/.local/share/yett")
        #expect(try directories.state == "/s/yett")
    }
}
