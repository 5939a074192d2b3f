import OperatingSystem
import ProcessHarness
import Testing

@testable import CommandLineTool

/// The arguments of `yett ssh`, as ssh(1) reads them.
struct SSHArgumentsTests {
    @Test(
        arguments: [
            (["box"], [], "box", []),
            (["-p", "22", "box"], ["-p", "22"], "box", []),
            (["-p22", "-4", "ada@box", "uname", "-a"], ["-p22", "-4"], "ada@box", ["uname", "-a"]),
            (["-vvp", "22", "box", "ls"], ["-vvp", "22"], "box", ["ls"]),
            (["-o", "Port=22", "-J", "gate", "box"], ["-o", "Port=22", "-J", "gate"], "box", []),
            (["-oPort=22", "--", "box", "--", "ls"], ["-oPort=22", "--"], "box", ["--", "ls"]),
        ] as [([String], [String], String, [String])])
    func argumentsAreDividedAsSSHDoes(arguments: [String], options: [String], host: String, command: [String]) throws {
        let line = try #require(SSHArguments(arguments))
        #expect(line.options == options && line.host == host && line.command == command)
    }

    @Test(arguments: [[], ["-p"], ["-p", "22"], ["-4"], ["--"], [""]])
    func argumentsWithoutAHostAreRefused(arguments: [String]) {
        #expect(SSHArguments(arguments) == nil)
    }

    private func words(_ arguments: String..., hasTerminal: Bool = true) throws -> [String] {
        try #require(SSHArguments(arguments)).words(forwarding: "/run/f.sock", to: "/tmp/r.sock", hasTerminal: hasTerminal)
    }

    @Test func socketIsForwardedBeforeTheUsersOptions() throws {
        let words = try words("-p", "22", "box")
        #expect(words.contains("/tmp/r.sock:/run/f.sock"))
        #expect(Array(words.suffix(7).prefix(6)) == ["-t", "-p", "22", "-S", "none", "box"])
        #expect(words.last?.hasPrefix("env YETT_AGENT_SOCK=/tmp/r.sock sh -c '") == true)
    }

    /// A connection of its own: a master's outlives the command, and the forward with it.
    @Test(arguments: [
        ["box"], ["-M", "-S", "/tmp/master", "box"], ["-oControlPath=/tmp/master", "-o", "ControlMaster=yes", "--", "box"], ["-N", "box"],
    ])
    func connectionIsNotShared(arguments: [String]) throws {
        let words = try #require(SSHArguments(arguments)).words(forwarding: "/run/f.sock", to: "/tmp/r.sock", hasTerminal: false)
        let ssh = try #require(Product.installed("ssh"))
        // What ssh makes of it: it names no ControlPath if there is none.
        let folder = try CommandWorld().home
        let shown = try CapturedOutput.run(
            ssh, ["-G", "-F", "/dev/null"] + words, environment: ["HOME": folder], limit: 1 << 20, deadline: .seconds(300))
        let text = String(decoding: shown.bytes, as: UTF8.self)
        #expect(shown.status == 0 && text.contains("hostname box\n"), "\(text)")
        #expect(!text.contains("controlpath"), "\(text)")
        if !arguments.contains("-M") { #expect(text.contains("controlmaster false\n"), "\(text)") }
    }

    @Test func terminalIsAskedForOnlyWhereSSHWould() throws {
        #expect(try !words("box", hasTerminal: false).contains("-t"))
        #expect(try !words("box", "ls").contains("-t"))
        #expect(try !words("-T", "box").contains("-t"))
        #expect(try words("-N", "box").last == "box", "nothing runs there")
    }

    /// The command reaches the user's shell there as ssh would send it.
    @Test func commandIsQuotedOnce() throws {
        let last = try #require(try words("box", "echo", "it's", "$HOME; ls").last)
        #expect(last.hasSuffix(" sh 'echo it'\\''s $HOME; ls'"))
        // A quote with an accent is a quote too.
        let accent = try #require(try words("box", "echo", "'\u{301};id").last)
        #expect(accent.hasSuffix(" sh 'echo '\\''\u{301};id'"))
    }
}
