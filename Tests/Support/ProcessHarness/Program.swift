/// A program as a test runs it: arguments, environment, and what it is given to read.
///
/// It has no terminal, starts in the home's folder, and sees only the environment given to it.
public struct Program: Sendable {
    public var path: String
    public var arguments: [String]
    public var environment: [String: String]
    public var folder: String
    /// What it can read from standard input.
    public var input: String
    /// After this long it is killed.
    public var limit: Duration

    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String], folder: String = "/", input: String = "",
        limit: Duration = .seconds(60)
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.input = input
        self.limit = limit
    }

    /// Starts it, and goes on.
    public func start() throws -> RunningProgram {
        try RunningProgram(self)
    }

    /// Runs it to its end.
    public func run() async throws -> ProgramResult {
        await (try start()).finish()
    }
}

extension TemporaryHome {
    /// A built program in this home. Variables in `with` are added or replace those of the home; nil takes one away.
    public func program(
        _ name: String = "yett-main", _ arguments: [String], with changes: [String: String?] = [:], input: String = "",
        limit: Duration = .seconds(60)
    ) throws -> Program {
        Program(
            try Product.program(name), arguments, environment: environment(with: changes), folder: path, input: input, limit: limit)
    }

    /// Runs the built `yett-main` in this home to its end.
    public func yett(
        _ arguments: String..., with changes: [String: String?] = [:], input: String = "", limit: Duration = .seconds(60)
    ) async throws -> ProgramResult {
        try await program("yett-main", arguments, with: changes, input: input, limit: limit).run()
    }

    /// The home's environment with changes; nil takes a variable away.
    public func environment(with changes: [String: String?]) -> [String: String] {
        var result = environment
        for (name, value) in changes {
            result[name] = value
        }
        return result
    }
}
