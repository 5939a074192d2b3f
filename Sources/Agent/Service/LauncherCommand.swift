public import AuthModel

/// A command line that the launcher passes to the agent, because the agent runs already and has the sessions in memory.
public struct LauncherCommand: Equatable, Sendable {
    /// The command line, without the program's name.
    public var arguments: [String]
    /// The standard input, if the command reads it; empty otherwise.
    public var input: String
    /// The caller's environment variables that the command depends on: the locale and `KUBERNETES_EXEC_INFO`.
    public var environment: [String: String]

    /// Creates a command.
    public init(arguments: [String], input: String = "", environment: [String: String] = [:]) {
        self.arguments = arguments
        self.input = input
        self.environment = environment
    }

    /// Runs a command with the caller's view of the session service. Throws ``needsProgram`` if only the full program can run it.
    package typealias Runner = @Sendable (_ command: LauncherCommand, _ service: any SessionService) async throws(AuthFailure) -> Result

    /// The result of a command: what the program would have printed, and its exit status.
    public struct Result: Equatable, Sendable {
        /// The exit status.
        public var status: Int32
        /// The bytes for standard output.
        public var output: [UInt8]
        /// The bytes for standard error.
        public var diagnostics: [UInt8]

        /// Creates a result.
        public init(status: Int32, output: [UInt8], diagnostics: [UInt8]) {
            self.status = status
            self.output = output
            self.diagnostics = diagnostics
        }
    }

    /// The refusal of a command that only the full program can run. Nothing was done.
    public static let needsProgram = AuthFailure(.usage, "agent.command_needs_program")
}

extension LauncherCommand: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("arguments", .array(arguments.map(JSONValue.string))), ("input", .string(input)),
            ("environment", .object(environment.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) })))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        var environment: [String: String] = [:]
        for member in try reader.optional("environment", \.members) ?? [] {
            guard let value = member.value.string else { throw WireError(place: "environment") }
            environment[member.name] = value
        }
        self.init(
            arguments: try reader.texts("arguments"), input: try reader.optionalText("input") ?? "", environment: environment)
    }
}
