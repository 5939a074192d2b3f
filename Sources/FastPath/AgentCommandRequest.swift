internal import CLauncher

/// The request to run a command in the agent: `token` with options, the credential helpers, and `status`.
///
/// The agent decides whether it runs the command. This type only chooses the command lines that are worth a question.
struct AgentCommandRequest: AgentRequest {
    let environment: LauncherEnvironment
    /// Whether the command reads its request from standard input.
    let readsInput: Bool
    /// Whether the command prints no secret, so that its output may go to a terminal.
    let printsNoSecret: Bool
    /// The standard input, once it was read.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private let line: CommandLineArguments

    /// Longer command lines are left to the full program.
    private static let argumentLimit = 32

    init?(_ line: CommandLineArguments, environment: LauncherEnvironment) {
        guard line.count >= 2, line.count <= Self.argumentLimit, environment.allowsAgent else { return nil }
        let isHelper = line.is("helper", at: 1)
        let isStatus = line.is("status", at: 1)
        guard isHelper || isStatus || line.is("token", at: 1) else { return nil }
        readsInput = isHelper && (line.is("git", at: 2) || line.is("docker", at: 2)) && line.is("get", at: line.count - 1)
        printsNoSecret = isStatus
        self.environment = environment
        self.line = line
    }

    var path: StaticString { "/v1/command" }

    func write(body: inout ByteWriter) {
        body.append("{\"arguments\":[")
        var index = 1
        while index < line.count, let argument = line[index] {
            if index > 1 { body.append(",") }
            body.append(quoted: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            index += 1
        }
        body.append("],\"input\":")
        body.append(quoted: input)
        body.append(",\"environment\":{")
        var isFirst = true
        append("LC_ALL", &isFirst, to: &body)
        append("LC_CTYPE", &isFirst, to: &body)
        append("LANG", &isFirst, to: &body)
        if line.is("kubectl", at: 2) { append("KUBERNETES_EXEC_INFO", &isFirst, to: &body) }
        body.append("}}")
    }

    private func append(_ variable: StaticString, _ isFirst: inout Bool, to body: inout ByteWriter) {
        guard let value = LauncherEnvironment.value(of: variable) else { return }
        body.append(isFirst ? "\"" : ",\"")
        isFirst = false
        body.append(variable)
        body.append("\":")
        body.append(quoted: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
