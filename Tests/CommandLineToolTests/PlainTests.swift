import Synchronization
import Testing

@testable import CommandLineTool

/// `yett --plain`, used line by line.
struct PlainTests {
    /// Answers questions: each answer waits until its text was printed.
    private final class Conversation: Sendable {
        private struct State {
            var said = ""
            var answers: [(after: String, line: String)]
        }

        private let state: Mutex<State>
        let lines: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init(_ answers: [(after: String, line: String)]) {
            state = Mutex(State(answers: answers))
            (lines, continuation) = AsyncStream.makeStream(of: String.self)
        }

        func hear(_ text: String) {
            let due: [String] = state.withLock { state in
                state.said += text
                var due: [String] = []
                while let next = state.answers.first, let range = state.said.firstRange(of: next.after) {
                    state.said = String(state.said[range.upperBound...])
                    state.answers.removeFirst()
                    due.append(next.line)
                }
                return due
            }
            for line in due { continuation.yield(line) }
        }
    }

    private func talk(
        _ world: CommandWorld, hidden: [String] = [], _ answers: [(after: String, line: String)]
    ) async -> CommandResult {
        let conversation = Conversation(answers)
        return await world.run(
            ["--plain"], user: .init(hasTerminal: true, hiddenLines: hidden), with: ["YETT_NO_AGENT": "1"],
            paste: conversation.lines, told: { conversation.hear($0) })
    }

    @Test func signsInAndShowsTheSession() async throws {
        try await withSandbox { _, world in
            let result = await talk(
                world,
                [
                    ("yett > Home", "1"), ("Welcome, ada.", "i"), ("Claims of the ID token", "esc"), ("yett > Sessions", "q"),
                ])
            #expect(result.status == 0)
            #expect(result.output.isEmpty, "a conversation is no answer")
            #expect(result.errors.contains("✓") == false)
            #expect(await world.run("token", "sandbox").status == 0)
        }
    }

    @Test func changesASetting() async throws {
        let world = try CommandWorld()
        let result = await talk(
            world, [("yett > Get started", ","), ("Guest prompt", "3"), ("saved: Guest prompt", "esc"), ("yett > Get started", "q")])
        #expect(result.status == 0)
        #expect(try world.text(world.configurationPath) == "[ui]\nguest_prompt = false\n")
    }

    /// Forgetting can be undone here, too.
    @Test func forgettingCanBeUndone() async throws {
        try await withSession { _, world in
            let result = await talk(
                world, [("yett > Sessions", "x"), ("forget it", "2"), ("press U to undo", "U"), ("kept sandbox/ada", "q")])
            #expect(result.status == 0)
            #expect(await world.run("token", "sandbox").status == 0)
        }
    }

    /// A new passphrase is asked for twice and stored once; the next key is read as a key.
    @Test func createsAndUnlocksAPassphraseStore() async throws {
        try await withSandbox(SignInTests.honest, more: "[store]\nseal = \"passphrase\"") { _, world in
            let sealed = await talk(
                world, hidden: ["correct horse", "correct house", "correct horse", "correct horse"], [("unlocked", "L"), ("locked", "q")])
            #expect(sealed.status == 0)
            #expect(sealed.errors.contains("The passphrases do not match"), "\(sealed.errors)")
            let opened = await talk(world, hidden: ["wrong", "correct horse"], [("unlocked", "q")])
            #expect(opened.status == 0)
            #expect(opened.errors.contains("Wrong passphrase for the store."), "\(opened.errors)")
            #expect(!opened.errors.contains("this input is no longer needed"))
            #expect(!(sealed.errors + opened.errors).contains("horse"))
        }
    }

    @Test func withoutATerminalItPrintsTheStatus() async throws {
        let world = try CommandWorld()
        let conversation = AsyncStream<String> { $0.finish() }
        let result = await world.run(["--plain"], user: .init(hasTerminal: false), paste: conversation)
        #expect(result.status == 0, "without a terminal it is the status")
        #expect(result.errors.contains("not signed in"))
    }
}
