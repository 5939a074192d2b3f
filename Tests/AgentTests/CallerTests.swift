import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import Agent

/// Who asks, in the words of the activity: the tool behind Yett, what it does, and what started it.
@Suite(.startsPrograms) struct CallerTests {
    /// Runs a script that prints a process number and waits, and returns the message for that process as if it were yett.
    private func caller(ofScript script: String) async throws -> (message: UserMessage, programs: [String]) {
        let home = try TemporaryHome()
        let program = Program(
            "/bin/bash", [try home.write(script, to: "script")], environment: home.environment(with: [:]), limit: .seconds(300))
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

    /// A process with the name of yett, and its arguments, is found among all processes; one with another name is not.
    @Test func processesOfYettAreFound() async throws {
        let home = try TemporaryHome()
        let script = """
            #!/bin/sh
            cp "$(command -v sleep)" "$HOME/yett"
            "$HOME/yett" 3591 & sleep 3592 & echo $!; wait
            """
        let program = Program(
            "/bin/sh", [try home.write(script, to: "script")], environment: home.environment(with: [:]), limit: .seconds(300))
        let running = try program.start()
        defer { running.signal(9) }
        let other = try #require(pid_t(try await running.until { $0.output.contains("\n") }.output.dropLast()))
        defer { kill(other, SIGKILL) }
        var found: [YettProcess] = []
        // The shell says so before its child has become another program.
        while found.isEmpty, !Task.isCancelled {
            found = YettProcess.all().filter { $0.arguments == ["3591"] }
            await Task.yield()
        }
        defer { for process in found { kill(process.number, SIGKILL) } }
        #expect(found.count == 1)
        let process = try #require(found.first)
        #expect(RunningProcess(number: process.number).user == getuid())
        let starter = RunningProcess(number: process.number).parent?.executable
        #expect(process.starter.programPath == starter, "\(process.starter.description)")
        #expect(process.start > .zero)
        #expect(!YettProcess.all().contains { $0.arguments == ["3592"] })
    }

    /// Yett may ask for a program that it has started, and for no other; another program may not ask for any.
    @Test func clientIsAProgramThatYettHasStarted() async throws {
        let home = try TemporaryHome()
        let script = """
            #!/bin/sh
            cp /bin/bash "$HOME/yett"
            "$HOME/yett" -c 'bash -c "sleep 3593 & echo \\$!; wait" & echo $$; wait' & wait
            """
        let program = Program(
            "/bin/sh", [try home.write(script, to: "script")], environment: home.environment(with: [:]), limit: .seconds(300))
        let running = try program.start()
        defer { running.signal(9) }
        let lines = try await running.until { $0.output.count { $0 == "\n" } == 2 }.output.split(separator: "\n").compactMap { Int32($0) }
        defer { for process in lines { kill(process, SIGKILL) } }
        let proxy = try #require(lines.first { RunningProcess(number: $0).executable?.hasSuffix("/yett") == true })
        let number = try #require(lines.first { $0 != proxy })
        // Its number is printed before it has become another program.
        while RunningProcess(number: number).name != "sleep", !Task.isCancelled { await Task.yield() }
        let yett = Caller(process: proxy, user: getuid())
        let client = try #require(yett.client(number))
        #expect(client.process == number)
        let tool = try #require(client.tool)
        #expect(tool.path.fileName == "sleep" && path(tool.message, "program") == "sleep", "\(tool.message.description)")
        #expect(yett.client(getpid()) == nil, "one that it has not started")
        #expect(yett.client(proxy) == nil && yett.client(.max) == nil && yett.client(nil) == nil)
        let shell = try #require(RunningProcess(number: number).parent)
        #expect(Caller(process: shell.number, user: getuid()).client(number) == nil, "a program that is not Yett")
    }

    @Test func endedProcessIsANumber() throws {
        #expect(Caller(process: .max, user: geteuid()).message == UserMessage("phrase.process_number", ["number": Int32.max]))
    }
}
