import FoundationEssentials
import ProcessHarness
import TestSupport
import Testing

/// The built launcher in its own folder, with a script in place of the program.
@Suite(.startsPrograms) struct LauncherTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.install(try Product.program("yett"), as: "prefix/bin/yett")
    }

    private func place(_ name: String, permissions: Int = 0o700, says word: String = "program") throws {
        let script = """
            #!/bin/sh
            echo "\(word) $# <$1> <$2> $EXTRA"
            exit 42

            """
        try home.write(script, to: "prefix/\(name)", permissions: permissions)
    }

    private func launch(_ arguments: String...) async throws -> ProgramResult {
        try await Program(
            home.path + "/prefix/bin/yett", arguments, environment: home.environment(with: ["EXTRA": "extra"]), limit: .seconds(300)
        ).run()
    }

    @Test(arguments: ["bin/yett-main", "libexec/yett/yett-main"])
    func runsTheProgramWithItsArgumentsAndStatus(place name: String) async throws {
        try place(name)
        let result = try await launch("one", "two words")
        #expect(result.output.hasPrefix("program 2 <one> <two words> extra\n"))
        #expect(result.errors == "")
        #expect(result.status == 42)
    }

    @Test func prefersTheProgramBesideIt() async throws {
        try place("bin/yett-main", says: "beside")
        try place("libexec/yett/yett-main", says: "libexec")
        #expect(try await launch().output.hasPrefix("beside 0"))
    }

    @Test func findsTheProgramThroughALink() async throws {
        try place("libexec/yett/yett-main")
        try FileManager.default.createSymbolicLink(atPath: home.path + "/gate", withDestinationPath: home.path + "/prefix/bin/yett")
        let result = try await Program(home.path + "/gate", environment: home.environment, limit: .seconds(300)).run()
        #expect(result.status == 42)
    }

    @Test func programSeesTheLaunchersName() async throws {
        // A real program, since a script's interpreter replaces the name.
        try home.install("/bin/cat", as: "prefix/bin/yett-main")
        let result = try await launch("/proc/self/cmdline")
        #expect(result == ProgramResult(ending: .exited(0), output: "yett\0/proc/self/cmdline\0", errors: ""))
    }

    @Test func reportsAMissingProgram() async throws {
        let result = try await launch("status")
        #expect(
            result
                == ProgramResult(
                    ending: .exited(2), output: "",
                    errors: """
                        yett: error: yett-main is missing
                        yett: hint: build or install both again; yett-main must be next to yett or in ../libexec/yett

                        """))
    }

    @Test func reportsAProgramThatIsNotExecutable() async throws {
        try place("bin/yett-main", permissions: 0o600)
        let result = try await launch("status")
        #expect(
            result
                == ProgramResult(
                    ending: .exited(2), output: "",
                    errors: """
                        yett: error: yett-main cannot be run
                        yett: hint: build or install yett-main again, for this machine

                        """))
    }
}
