/// A program to run in a test, with its arguments, environment and standard input.
///
/// It has no terminal, starts in `folder`, and gets only the environment given here.
public struct Program: Sendable {
    /// The path of the executable.
    public var path: String
    /// The arguments, without the program's name.
    public var arguments: [String]
    /// The complete environment.
    public var environment: [String: String]
    /// The working directory.
    public var folder: String
    /// The text on its standard input.
    public var input: String
    /// The time after which it is killed.
    public var limit: Duration

    /// Creates the description of a program without starting it.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String], folder: String = "/", input: String = "",
        limit: Duration = .seconds(300)
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.input = input
        self.limit = limit
    }

    /// Starts it and returns immediately.
    public func start() throws -> RunningProgram {
        try RunningProgram(self)
    }

    /// Runs it and returns its result when it has ended.
    public func run() async throws -> ProgramResult {
        await (try start()).finish()
    }
}

extension TemporaryHome {
    /// Returns a built program in this home. Variables in `with` are added to the home's environment or replace it; nil removes a variable.
    public func program(
        _ name: String = "yett-main", _ arguments: [String], with changes: [String: String?] = [:], input: String = "",
        limit: Duration = .seconds(300)
    ) throws -> Program {
        Program(
            try Product.program(name), arguments, environment: environment(with: changes), folder: path, input: input, limit: limit)
    }

    /// Runs the built `yett-main` in this home until it ends.
    public func yett(
        _ arguments: String..., with changes: [String: String?] = [:], input: String = "", limit: Duration = .seconds(300)
    ) async throws -> ProgramResult {
        try await program("yett-main", arguments, with: changes, input: input, limit: limit).run()
    }

    /// Returns the home's environment with changes; nil removes a variable.
    public func environment(with changes: [String: String?]) -> [String: String] {
        var result = environment
        for (name, value) in changes {
            result[name] = value
        }
        return result
    }
}
