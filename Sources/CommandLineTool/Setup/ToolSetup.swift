internal import AuthModel
internal import UserConfiguration

/// Lets a tool get the tokens of a session, in the tool's own configuration.
///
/// ``change()`` and ``undo()`` only decide; ``apply(_:)`` carries out what they return.
protocol ToolSetup: Sendable {
    var tool: SetupTool { get }

    /// The target that the tool gets tokens for: a host, a cluster or a profile.
    var target: String { get }
    /// The target as it is shown: `the profile dev`.
    var targetName: String { get }
    /// The session; `nil` if it does not matter, for ``undo()``.
    var session: SessionName? { get }
    var environment: SetupEnvironment { get }
    /// The next step for the user; `nil` if the tool uses the setup by itself.
    var hint: String? { get }

    /// Returns the URL that the tool sends tokens to, whose host must be in `api_hosts`; `nil` if there is none.
    func destination() async throws(AuthFailure) -> WebURL?

    /// Returns what sets up the target; no steps if it is set up already. Throws `.configuration` if the tool is missing, its configuration
    /// cannot be read, or the target has credentials from elsewhere.
    func change() async throws(AuthFailure) -> SetupChange

    /// Returns what removes the setup of the target; no steps if it is not set up.
    func undo() async throws(AuthFailure) -> SetupChange

    /// Gets a token as the tool does. Throws if there is none.
    func check() async throws(AuthFailure) -> SetupCheck
}

extension ToolSetup {
    var targetName: String { tool.named(target) }
    var hint: String? { nil }

    func destination() async throws(AuthFailure) -> WebURL? { nil }

    /// The session of a setup that is not removed.
    var requiredSession: SessionName {
        get throws(AuthFailure) {
            guard let session else { throw AuthFailure(.usage, text: "no session given", hint: "name one of: yett status") }
            return session
        }
    }

    /// Carries out a change. After a failure, every file has its earlier content.
    func apply(_ change: SetupChange) async throws(AuthFailure) {
        var snapshots: [[FileSnapshot]] = []
        for step in change.steps {
            var files: [FileSnapshot] = []
            for path in step.files { files.append(try FileSnapshot(path)) }
            snapshots.append(files)
        }
        var changed: [FileSnapshot] = []
        do throws(AuthFailure) {
            for (step, files) in zip(change.steps, snapshots) {
                // A command that fails may have changed a file; an edit of ours that fails has not.
                if step.runsCommands { changed += files }
                for action in step.actions {
                    guard !Task.isCancelled else { throw AuthFailure(.cancelled, text: "cancelled; nothing was changed") }
                    try await perform(action)
                }
                if !step.runsCommands { changed += files }
            }
        } catch {
            for snapshot in changed.reversed() { try snapshot.restore(after: error) }
            throw error
        }
    }

    private func perform(_ action: SetupStep.Action) async throws(AuthFailure) {
        switch action {
        case .run(let words): _ = try await environment.output(of: words)
        case .write(let edit): try edit.write()
        case .removeIfEmpty(let path): FileSnapshot.removeIfEmpty(path)
        case .hosts(let change, let file): try file.apply(change)
        }
    }
}

/// The tools that `yett setup` knows.
enum SetupTool: String, CaseIterable, Sendable {
    case git, kubectl, docker, aws, mcp, claude, codex, pip, uv, cargo, bazel, terraform, rclone

    /// Returns what is set up for the tool. Throws `.configuration` if its configuration cannot be read.
    func current(in environment: SetupEnvironment) async throws(AuthFailure) -> [SetupEntry] {
        switch self {
        case .git: try await GitSetup.current(in: environment)
        case .kubectl: try await KubectlSetup.current(in: environment)
        case .docker: try DockerSetup.current(in: environment)
        case .aws: try AWSSetup.current(in: environment)
        case .mcp: try MCPSetup.current(in: environment)
        case .claude, .codex, .pip, .uv, .cargo, .bazel, .terraform, .rclone:
            try TokenToolSetup.current(self, in: environment)
        }
    }

    /// The word for what the tool gets tokens for.
    func named(_ target: String) -> String {
        switch self {
        case .git, .docker, .mcp, .claude, .pip, .uv, .bazel, .terraform: target
        case .codex: "the model provider \(target)"
        case .cargo: "the registry \(target)"
        case .rclone: "the remote \(target)"
        case .kubectl: "the cluster \(target)"
        case .aws: "the profile \(target)"
        }
    }
}

extension Configuration {
    /// Returns the provider whose tokens an entry gets: that of its session, otherwise the only one whose tokens may be sent to its host.
    func owner(of entry: SetupEntry) -> ProviderConfiguration? {
        if let session = entry.session { return provider(session.provider) }
        let owners = providers.filter { provider in
            entry.destination.map { TokenDestinations(provider: provider).includes($0) } ?? false
        }
        return owners.count == 1 ? owners[0] : nil
    }
}

/// A target of a tool that gets its credentials from Yett.
struct SetupEntry: Equatable, Sendable {
    let tool: SetupTool
    let target: String
    /// The session; `nil` if it is chosen by the host.
    let session: SessionName?
    /// The URL to which the tool sends the tokens; `nil` if that is not known.
    var destination: WebURL?
}

/// The change that sets up a tool, or removes the setup.
struct SetupChange: Sendable {
    var steps: [SetupStep] = []
    /// Notes about settings that stay as they are, and why; one line each.
    var notes: [String] = []

    /// The lines that show the change: for each step the file, the commands, and the lines before and after.
    var lines: [String] {
        steps.flatMap { step in
            [step.shownFile]
                + step.actions.compactMap { action in if case .run(let words) = action { "  $ " + words.shellLine } else { nil } }
                + step.before.map { "  - " + $0 } + step.after.map { "  + " + $0 }
        }
    }
}

/// The result of a tool's request for a credential.
struct SetupCheck: Equatable, Sendable {
    /// The command that was run, or a part of it that identifies it.
    let command: String
    /// The tool's output without the secret: `a token for the user oauth2`.
    let found: String
    /// The end of the credential, if the tool learns it.
    var expiresAt: Timestamp?
}
