import Glibc
import ProcessHarness

/// Measures a program from start to exit. Its output goes to /dev/null, and one thread starts it and waits.
struct Stopwatch {
    private var words: [UnsafeMutablePointer<CChar>?]
    private var variables: [UnsafeMutablePointer<CChar>?]
    private let program: Program
    /// The file on standard input.
    private let input: String

    init(_ program: String, _ arguments: [String], environment: [String: String], input: String = "/dev/null") {
        self.input = input
        words = ([program] + arguments).map { strdup($0) } + [nil]
        variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        self.program = Program(program, arguments, environment: environment)
    }

    /// Runs the program once and frees the memory of its arguments.
    consuming func time() async throws -> Duration {
        defer { for word in words + variables { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let start = ContinuousClock.now
        var process = pid_t()
        let code = posix_spawn(&process, program.path, &actions, nil, &words, &variables)
        guard code == 0 else { throw HarnessError("cannot start \(program.path): error \(code)") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let time = ContinuousClock.now - start
        // Runs it again to show the reason.
        guard status == 0 else { throw HarnessError("\(program.path): \(try await program.run())") }
        return time
    }
}
