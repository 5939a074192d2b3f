import ProcessHarness
import TestSupport
import Testing

/// The built program on a machine without `/proc`.
@Suite(
    .startsPrograms, .timeLimit(.minutes(10)),
    .enabled(if: Product.installed("unshare") != nil, "unshare is not installed"))
struct MissingProcTests {
    /// The program finds itself and its arguments, and says what is missing instead of crashing.
    @Test(arguments: ["yett", "yett-main"])
    func saysThatProcIsMissing(name: String) async throws {
        let home = try TemporaryHome()
        let program = try Product.program(name)
        let script = "mount -t tmpfs none /proc && exec \"$0\" \"$@\""
        let result = try await Program(
            try #require(Product.installed("unshare")), ["--map-root-user", "--mount", "sh", "-c", script, program, "logout", "work"],
            environment: home.environment, limit: .seconds(300)
        ).run()
        #expect(
            result
                == ProgramResult(
                    ending: .exited(2), output: "",
                    errors: """
                        yett: error: /proc is not mounted, and the program cannot run without it
                        yett: hint: run as root: mount -t proc proc /proc

                        """))
    }
}
