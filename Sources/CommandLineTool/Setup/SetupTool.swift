internal import AuthModel

/// The tools that `yett setup` knows.
enum SetupTool: String, CaseIterable, Sendable {
    case git, kubectl, docker, aws, mail, mcp

    /// Returns what is set up for the tool.
    func current(in environment: SetupEnvironment) async throws(AuthFailure) -> [SetupEntry] {
        switch self {
        case .git: try await GitSetup.current(in: environment)
        case .kubectl: try await KubectlSetup.current(in: environment)
        case .docker: try DockerSetup.current(in: environment)
        case .aws: try AWSSetup.current(in: environment)
        case .mail: []
        case .mcp: try MCPSetup.current(in: environment)
        }
    }

    /// The word for what the tool gets tokens for.
    func named(_ target: String) -> String {
        switch self {
        case .git, .docker, .mcp: target
        case .kubectl: "the cluster \(target)"
        case .aws: "the profile \(target)"
        case .mail: "mail"
        }
    }
}
