public import AuthModel
import Glibc

/// A command line that the launcher passes to the agent, because the agent runs already and has the sessions in memory.
public struct LauncherCommand: Equatable, Sendable {
    /// The command line, without the program's name.
    public var arguments: [String]
    /// The standard input, if the command reads it; empty otherwise.
    public var input: String
    /// The caller's environment variables that the command depends on: the locale and `KUBERNETES_EXEC_INFO`.
    public var environment: [String: String]

    package init(arguments: [String], input: String = "", environment: [String: String] = [:]) {
        self.arguments = arguments
        self.input = input
        self.environment = environment
    }

    /// Runs a command with the caller's view of the session service. Throws ``needsProgram`` if only the full program can run it.
    package typealias Runner = @Sendable (_ command: LauncherCommand, _ service: any SessionService) async throws(AuthFailure) -> Output

    /// The output and the exit status that the program would have had.
    public struct Output: Equatable, Sendable {
        /// The exit status.
        public var status: Int32
        /// The bytes for standard output.
        public var output: [UInt8]
        /// The bytes for standard error.
        public var diagnostics: [UInt8]

        package init(status: Int32, output: [UInt8], diagnostics: [UInt8]) {
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

/// The agent's answer to `yett token SESSION`, which the launcher received before it became this program.
///
/// The same command does not ask the agent twice: the answer may have cost a refresh token, or be the provider's refusal of one.
public enum LauncherAnswer: Sendable {
    /// The agent issued a token.
    case token(IssuedToken)
    /// The agent answered with a failure.
    case failure(AuthFailure)

    /// The variable with the descriptor of the pipe that holds the answer: the status in three digits, a space, and the body.
    static let answerVariable = "YETT_AGENT_ANSWER"
    /// The variable with the process of an agent that did not answer the launcher.
    static let unresponsiveAgentVariable = "YETT_AGENT_SILENT"

    /// Reads the answer once and closes the pipe.
    ///
    /// - Returns: `nil` if there is no answer, or if the answer requires a step that only this program can do: unlock the store, ask the
    ///   user for consent, start another agent, or use a home that is not the agent's.
    public static func take(from environment: [String: String]) -> LauncherAnswer? {
        guard let descriptor = environment[answerVariable].flatMap({ Int32($0) }), descriptor > STDERR_FILENO else { return nil }
        var found = stat()
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFIFO else { return nil }
        defer { close(descriptor) }
        // The launcher has written the whole answer and closed its end.
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        defer { for index in buffer.indices { buffer[index] = 0 } }
        while bytes.count <= AgentProtocol.answerLimit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return LauncherAnswer(bytes)
    }

    /// Returns the failure of an agent that did not answer the launcher; `nil` if it answered or was not asked.
    package static func unresponsiveAgent(_ environment: [String: String]) -> AuthFailure? {
        environment[unresponsiveAgentVariable].flatMap { pid_t($0) }.map { AgentConnection.late($0) }
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count > 4, bytes[3] == UInt8(ascii: " "), let status = Int(String(decoding: bytes[..<3], as: UTF8.self)),
            let document = try? JSONValue(strict: bytes[4...], limits: .agentResponse)
        else { return nil }
        guard status != 200 else {
            guard let issued = try? IssuedToken(wire: document) else { return nil }
            self = .token(issued)
            return
        }
        guard let failure = document["error"].flatMap({ try? AuthFailure(wire: $0) }), !Self.needsFullProgram(status, failure) else {
            return nil
        }
        self = .failure(failure)
    }

    /// Returns whether the failure came before any request to a provider, so that this program handles it.
    private static func needsFullProgram(_ status: Int, _ failure: AuthFailure) -> Bool {
        // Locked, another home, another protocol version.
        if [421, 423, 505].contains(status) { return true }
        return failure.needsConsent || failure.kind == .usage
    }
}
