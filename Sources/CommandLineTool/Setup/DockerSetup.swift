internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup docker`: lets docker get tokens for a registry.
struct DockerSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Let docker get tokens for a registry.",
        discussion: """
            Adds the registry to credHelpers in docker's config.json, the program docker-credential-yett to ~/.local/bin if it is not in \
            PATH, and the registry to api_hosts of the session's provider. A session of one account has a program of its own. podman, \
            skopeo and buildah read the same file.
            """)
    static let examples: KeyValuePairs = [
        "yett setup docker registry.example.org work": "Lets docker get tokens of the session for this registry.",
        "yett setup docker registry.example.org --remove": "Removes the setup.",
    ]

    @Argument(help: "The registry: HOST or HOST:PORT.")
    var registry: String

    @OptionGroup var source: TokenSource

    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup {
        try DockerSetup(registry: registry, session: session, environment: environment)
    }
}

/// The credential helper of docker for one registry: an entry in `credHelpers`, and the program that it names.
struct DockerSetup: ToolSetup {
    var tool: SetupTool { .docker }

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

    private static func configuration(in environment: SetupEnvironment) throws(AuthFailure) -> DockerConfiguration {
        try DockerConfiguration(path: environment.folder("DOCKER_CONFIG", otherwise: "/.docker") + "/config.json")
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
            let edit = try configuration.edit(target, to: program.suffix)
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
        let edit = try configuration.edit(target, to: nil)
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

/// docker's `config.json`, edited as text so that everything else stays as it is.
struct DockerConfiguration: Sendable {
    let path: String
    private let bytes: [UInt8]?
    private let text: String
    private let root: JSONValue

    private static let key = "credHelpers"
    /// The text that docker reads like a missing file.
    private static let empty = "{}\n"

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read or is not JSON.
    init(path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
        let content = try bytes.map { bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? ""
        text = content.allSatisfy(\.isWhitespace) ? Self.empty : content
        root = try Self.parse(text, of: path)
        guard root.members != nil, root[Self.key] == nil || root[Self.key]?.members != nil else { throw Self.unreadable(path) }
    }

    private static func parse(_ text: String, of path: String) throws(AuthFailure) -> JSONValue {
        do throws(JSONError) { return try JSONValue(strict: text) } catch { throw unreadable(path) }
    }

    private static func unreadable(_ path: String) -> AuthFailure {
        AuthFailure(.configuration, text: "docker's configuration \(path) is not valid JSON", hint: "correct it, and run the command again")
    }

    /// The registries with a credential helper of their own, in the order of the file.
    var helpers: [(registry: String, helper: String)] {
        (root[Self.key]?.members ?? []).compactMap { member in member.value.string.map { (member.name, $0) } }
    }

    /// Returns the edit that sets the helper of a registry, or removes it. Throws `.configuration` if the result is not what was meant.
    func edit(_ registry: String, to helper: String?) throws(AuthFailure) -> FileEdit {
        var editor = JSONEditor(text)
        if let helper {
            editor.set(registry, to: .string(helper), inObject: [Self.key])
        } else {
            editor.remove(registry, inObject: [Self.key])
        }
        let changed = try Self.parse(editor.text, of: path)
        guard changed[Self.key]?[registry]?.string == helper,
            Self.others(in: changed, than: registry) == Self.others(in: root, than: registry)
        else { throw AuthFailure(.configuration, text: "\(path) cannot be changed", hint: "change credHelpers in a text editor") }
        // A file that was made for this entry goes away with it.
        return FileEdit(path: path, before: bytes, after: editor.text, isRemoval: editor.text == Self.empty)
    }

    /// Returns what the file has beside the helper of a registry.
    private static func others(in root: JSONValue, than registry: String) -> [[JSONValue.Member]] {
        [(root.members ?? []).filter { $0.name != key }, (root[key]?.members ?? []).filter { $0.name != registry }]
    }
}
