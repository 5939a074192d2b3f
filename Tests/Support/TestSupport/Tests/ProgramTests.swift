import Glibc
import ProcessHarness
import Testing

/// Tests of the harness itself, because other tests rely on it.
struct ProgramTests {
    private func shell(_ script: String, input: String = "", limit: Duration = .seconds(180)) throws -> Program {
        Program("/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], input: input, limit: limit)
    }

    @Test func collectsBothStreamsAndTheStatus() async throws {
        let result = try await shell("echo out; echo err >&2; exit 7").run()
        #expect(result == ProgramResult(ending: .exited(7), output: "out\n", errors: "err\n"))
    }

    @Test func passesInputLargerThanAPipeBuffer() async throws {
        let text = String(repeating: "0123456789abcdef", count: 20_000)
        let result = try await shell("cat; printf %s done >&2", input: text).run()
        #expect(result.output == text)
        #expect(result.errors == "done")
    }

    @Test func reportsTheSignalThatEndedTheProgram() async throws {
        let result = try await shell("kill -SEGV $$").run()
        #expect(result.ending == .signalled(SIGSEGV))
    }

    /// The limit is long enough for the start of a program on a busy machine.
    @Test func killsAProgramThatExceedsItsTimeLimit() async throws {
        let result = try await shell("echo begun; exec tail -f /dev/null", limit: .seconds(3)).run()
        #expect(result.ending == .overran)
        #expect(result.output == "begun\n")
    }

    @Test func killsAProgramThatExceedsItsTimeLimitWhileItWrites() async throws {
        let result = try await shell("while :; do echo more; done", limit: .seconds(3)).run()
        #expect(result.ending == .overran)
        #expect(result.output.hasPrefix("more\n"))
    }

    @Test func doesNotWaitForProcessesThatAProgramLeavesBehind() async throws {
        let result = try await shell("tail -f /dev/null >/dev/null & echo $!", limit: .seconds(180)).run()
        #expect(result.status == 0)
        let left = try #require(pid_t(result.output.dropLast()))
        #expect(kill(left, SIGKILL) == 0)
    }

    @Test func waitsForOutputOfARunningProgram() async throws {
        let running = try shell("echo one; read line; echo $line; exec tail -f /dev/null", input: "two\n").start()
        try await running.until { $0.output.contains("two") }
        running.signal(SIGTERM)
        let result = await running.finish()
        #expect(result.ending == .signalled(SIGTERM))
        #expect(result.output == "one\ntwo\n")
    }

    @Test func failsWhenTheExpectedOutputNeverComes() async throws {
        let running = try shell("echo one").start()
        await #expect(throws: HarnessError.self) {
            try await running.until { $0.output.contains("two") }
        }
    }

    @Test func programHasNoTerminal() async throws {
        let result = try await shell("tty; (: </dev/tty) 2>&1 | grep -c 'No such device'").run()
        #expect(result.output == "not a tty\n1\n")
    }

    @Test func temporaryHomeIsCleanAndIsRemoved() async throws {
        var home: TemporaryHome? = try TemporaryHome()
        let path = try #require(home?.path)
        let environment = try #require(home?.environment)
        let result = try await Program("/usr/bin/env", environment: environment).run()
        #expect(result.output.split(separator: "\n").allSatisfy { !$0.hasPrefix("USER=") })
        #expect(result.output.contains("XDG_RUNTIME_DIR=\(path)/run\n"))
        try home?.write("a \(home?.canary ?? "")", to: "state/deep/file")
        #expect(home?.files(containing: home?.canary ?? "-") == ["state/deep/file"])
        home = nil
        #expect(access(path, F_OK) != 0)
    }
}
