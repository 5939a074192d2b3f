import AuthModel
import Glibc
import ProcessHarness
import TestConcurrency
import Testing

@testable import Agent

/// Who asks, in the words of the activity: the tool behind Yett, what it does, and what started it.
@Suite(.startsPrograms) struct CallerTests {
    /// Runs a script that prints a process number and waits, and returns the message for that process as if it were yett.
    private func caller(ofScript script: String) async throws -> (message: UserMessage, programs: [String]) {
        let home = try TemporaryHome()
        let program = Program(
            "/bin/bash", [try home.write(script, to: "script")], environment: home.environment(with: [:]), limit: .seconds(30))
        let running = try program.start()
        defer { running.signal(9) }
        let line = try await running.until { $0.output.contains("\n") }.output.prefix { $0 != "\n" }
        let number = try #require(Int32(line))
        defer { kill(number, SIGKILL) }
        // The program that waits stands for yett; its own path is not one of yett's.
        let caller = Caller(process: number, user: geteuid())
        return (caller.message("yett-main"), caller.programs(behind: "yett-main"))
    }

    private func path(_ message: UserMessage, _ argument: String) -> Substring? {
        guard case .text(let path)? = message.arguments[argument] else { return nil }
        return path.fileName
    }

    /// git runs its helpers, as its aliases, in a shell of their own.
    @Test func gitIsNamedWithItsCommandAndItsParent() async throws {
        let (message, programs) = try await caller(ofScript: "git -c alias.try='!tail -f /dev/null & echo $!; wait' -C / try; true")
        #expect(message.code == "phrase.program_command_by")
        #expect(path(message, "program") == "git" && path(message, "parent") == "bash", "\(message.description)")
        #expect(message.arguments["command"] == .text("try"))
        #expect(message.programPath?.fileName == "git", "so that it can be blocked")
        #expect(programs.last == message.programPath && programs.count == 2, "the shell and git: \(programs)")
    }

    @Test func shellOfAToolIsNotTheTool() async throws {
        let (message, programs) = try await caller(ofScript: "env bash -c 'sh -ec \"tail -f /dev/null & echo \\$!; wait\"; true'; true")
        // Each shell has one command of another program; the script itself is a program.
        #expect(
            message == UserMessage("phrase.program_through_yett", ["program": try #require(message.programPath)]), "\(message.description)")
        #expect(message.programPath?.fileName == "bash")
        #expect(programs.map { String($0.fileName) } == ["dash", "bash", "bash"], "a blocked shell stays blocked")
    }

    @Test func argumentsThatAreNotACommandAreNotRecorded() async throws {
        let (message, programs) = try await caller(ofScript: "git -c alias.SECRET1='!tail -f /dev/null & echo $!; wait' SECRET1; true")
        #expect(
            message.code == "phrase.program_by" && programs.count == 2 && !message.description.contains("SECRET1"), "\(message.description)"
        )
    }

    @Test func endedProcessIsANumber() throws {
        #expect(Caller(process: .max, user: geteuid()).message == UserMessage("phrase.process_number", ["number": Int32.max]))
    }
}
