internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// The credential helper of docker for one registry: an entry in `credHelpers`, and the program that it names.
struct DockerSetup: ToolSetup {
    static let tool = SetupTool.docker

    /// The registry as docker names it: `HOST` or `HOST:PORT`.
    let target: String
    let session: SessionName?
    let environment: SetupEnvironment

    /// Throws `.usage` if the text is not a host.
    init(registry: String, session: SessionName?, environment: SetupEnvironment) throws(AuthFailure) {
        guard !registry.contains("://") else {
            throw AuthFailure(.usage, text: "'\(registry)' is not a registry", hint: "use the form registry.example.org:5000")
        }
        target = try WebURL.server(registry).origin.authority
        self.session = session
        self.environment = environment
    }

    func destination() -> WebURL? { Self.url(of: target) }

    private static func url(of registry: String) -> WebURL? { WebURL("https://\(registry)/") }

    // MARK: Reading

    private static func path(in environment: SetupEnvironment) -> String {
        (environment.value("DOCKER_CONFIG") ?? environment.home + "/.docker") + "/config.json"
    }

    private static func configuration(in environment: SetupEnvironment) throws(AuthFailure) -> DockerConfiguration {
        try DockerConfiguration(path: path(in: environment))
    }

    static func current(in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        var entries: [SetupEntry] = []
        for (registry, helper) in try configuration(in: environment).helpers {
            guard let program = try HelperProgram(suffix: helper, in: environment) else { continue }
            entries.append(SetupEntry(tool: .docker, target: registry, session: program.session, destination: url(of: registry)))
        }
        return entries
    }

    // MARK: Changing

    /// The programs that read docker's configuration.
    private static let programs = ["docker", "podman", "skopeo", "buildah"]

    func change() throws(AuthFailure) -> SetupChange {
        let session = try requiredSession
        guard Self.programs.contains(where: { environment.program($0) != nil }) else {
            throw AuthFailure(.configuration, text: "docker is not in PATH", hint: "install docker, or add its folder to PATH")
        }
        _ = try environment.requireYett(for: "docker")
        let program = HelperProgram(session: session, in: environment)
        let configuration = try Self.configuration(in: environment)
        let present = configuration.helpers.first { $0.registry == target }?.helper
        if let present, try HelperProgram(suffix: present, in: environment) == nil {
            throw AuthFailure(
                .configuration, text: "docker already gets credentials for \(target) from docker-credential-\(present)",
                hint: "remove \"\(target)\" from credHelpers in \(configuration.path) first")
        }
        var change = SetupChange()
        if let edit = try program.creation() { change.steps.append(SetupStep(edit)) }
        if present != program.suffix {
            let edit = try configuration.edit { $0.set(program.suffix, for: target) }
            change.steps.append(SetupStep(edit, showing: difference(from: present, to: program.suffix)))
            if let present, let old = try removal(of: present, from: configuration) { change.steps.append(SetupStep(old)) }
        }
        return change
    }

    func undo() throws(AuthFailure) -> SetupChange {
        let configuration = try Self.configuration(in: environment)
        guard let helper = configuration.helpers.first(where: { $0.registry == target })?.helper,
            try HelperProgram(suffix: helper, in: environment) != nil
        else { return SetupChange() }
        let edit = try configuration.edit { $0.remove(target) }
        var change = SetupChange(steps: [SetupStep(edit, showing: difference(from: helper, to: nil))])
        if let edit = try removal(of: helper, from: configuration) { change.steps.append(SetupStep(edit)) }
        return change
    }

    /// Returns how a change of the helper is shown: the file can have passwords in the same line.
    private func difference(from old: String?, to new: String?) -> LineDifference {
        func lines(_ helper: String?) -> [String] { helper.map { ["\"credHelpers\": \"\(target)\": \"\($0)\""] } ?? [] }
        return LineDifference(before: lines(old), after: lines(new))
    }

    /// Returns the edit that removes a program; `nil` if other registries need it, or if it is not one that a setup made.
    private func removal(of helper: String, from configuration: DockerConfiguration) throws(AuthFailure) -> FileEdit? {
        guard !configuration.helpers.contains(where: { $0.registry != target && $0.helper == helper }) else { return nil }
        return try HelperProgram(suffix: helper, in: environment)?.removal()
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let subject = "docker got no token for \(target)"
        let name = HelperProgram(session: try requiredSession, in: environment).name
        let exchange = try await environment.run([name, "get"], input: target + "\n")
        let answer = try? JSONValue(strict: exchange.output)
        guard exchange.status == 0, answer?["Secret"]?.string?.isEmpty == false, let user = answer?["Username"]?.string else {
            throw exchange.refusal(subject)
        }
        return SetupCheck(command: "\(name) get", found: "a token, sent for the user \(user)")
    }
}
