internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup kubectl`: lets kubectl get tokens for a cluster.
struct KubectlSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Let kubectl get tokens for a cluster.",
        discussion: """
            Adds a user that runs yett helper kubectl and a context SESSION@CLUSTER to the kubeconfig, and the host of the cluster to \
            api_hosts of the session's provider. The current context stays.
            """)
    static let examples: KeyValuePairs = [
        "yett setup kubectl production work": "Lets kubectl get tokens of the session for this cluster.",
        "kubectl --context work@production get pods": "Uses the context that yett setup kubectl added.",
        "yett setup kubectl production --remove": "Removes the setup.",
    ]

    @Argument(help: "The name of the cluster in the kubeconfig.")
    var cluster: String

    @OptionGroup var source: TokenSource

    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup {
        try KubectlSetup(cluster: cluster, session: session, environment: environment)
    }
}

/// The credential plugin of kubectl for one cluster: a user entry with the plugin, and a context that joins the two.
struct KubectlSetup: ToolSetup {
    var tool: SetupTool { .kubectl }

    let cluster: String
    let session: SessionName?
    let environment: SetupEnvironment

    var target: String { cluster }

    var hint: String? {
        session.map(context).map {
            "use it with: kubectl --context \(ShellWord($0)), or make it the default: kubectl config use-context \(ShellWord($0))"
        }
    }

    /// Throws `.usage` if the name could be an option.
    init(cluster: String, session: SessionName?, environment: SetupEnvironment) throws(AuthFailure) {
        guard !cluster.isEmpty, !cluster.hasPrefix("-") else {
            throw AuthFailure(.usage, text: "'\(cluster)' is not a cluster", hint: "list them with: kubectl config get-clusters")
        }
        self.cluster = cluster
        self.session = session
        self.environment = environment
    }

    private static let prefix = "yett/"
    private static func user(_ session: SessionName) -> String { "\(prefix)\(session)" }
    private func context(_ session: SessionName) -> String { "\(session)@\(cluster)" }

    // MARK: Reading

    static func current(in environment: SetupEnvironment) async throws(AuthFailure) -> [SetupEntry] {
        guard environment.program("kubectl") != nil else { return [] }
        return try await KubectlConfiguration.read(in: environment).entries
    }

    private func configuration() async throws(AuthFailure) -> KubectlConfiguration {
        try environment.require("kubectl")
        return try await KubectlConfiguration.read(in: environment)
    }

    func destination() async throws(AuthFailure) -> WebURL? {
        let configuration = try await configuration()
        guard let server = configuration.servers[cluster] else {
            // A cluster that was removed may still have its context.
            guard session != nil else { return nil }
            throw AuthFailure(
                .configuration, text: "kubectl knows no cluster '\(cluster)'",
                hint: configuration.servers.isEmpty
                    ? "add it with: kubectl config set-cluster \(ShellWord(cluster)) --server=URL"
                    : "use one of: \(configuration.servers.keys.sorted().joined(separator: ", "))")
        }
        // kubectl sends no credentials without TLS, not even to this machine.
        guard let url = WebURL(server), url.origin.scheme == .https else {
            throw AuthFailure(
                .configuration, text: "kubectl sends tokens to https servers only, and the cluster \(cluster) has \(server)",
                hint: "correct it with: kubectl config set-cluster \(ShellWord(cluster)) --server=URL")
        }
        return url
    }

    // MARK: Changing

    /// The files that kubectl may change.
    private var files: [String] {
        let named = environment.value("KUBECONFIG")?.split(separator: ":").map(String.init) ?? []
        return named.isEmpty ? [environment.home + "/.kube/config"] : named
    }

    func change() async throws(AuthFailure) -> SetupChange {
        let session = try requiredSession
        let configuration = try await configuration()
        _ = try await destination()
        _ = try environment.requireYett(for: "kubectl")
        let (user, context) = (Self.user(session), context(session))
        if let other = configuration.contexts[context], other.cluster != cluster || other.user != user {
            throw AuthFailure(
                .configuration,
                text: "kubectl already has a context \(context), for the user \(other.user) at the cluster \(other.cluster)",
                hint: "remove it first: kubectl config delete-context \(ShellWord(context))")
        }
        if let other = configuration.plugins[user], other.line == nil {
            throw AuthFailure(
                .configuration, text: "kubectl already has a user \(user) with other credentials",
                hint: "remove it first: kubectl config delete-user \(ShellWord(user))")
        }
        let plugin = KubectlConfiguration.Plugin(command: "yett", arguments: ["helper", "kubectl", session.description])
        var actions: [SetupStep.Action] = []
        var (before, after): ([String], [String]) = ([], [])
        if configuration.plugins[user] != plugin {
            actions.append(
                .run(
                    ["kubectl", "config", "set-credentials", user, "--exec-api-version=\(KubectlConfiguration.Plugin.version)"]
                        + ["--exec-command=\(plugin.command)"] + plugin.arguments.map { "--exec-arg=\(ToolSyntax.kubectl($0))" }
                        + ["--exec-interactive-mode=IfAvailable", "--exec-provide-cluster-info"]))
            before += configuration.plugins[user].map { Self.lines(of: $0, for: user) } ?? []
            after += Self.lines(of: plugin, for: user)
        }
        if configuration.contexts[context] == nil {
            actions.append(.run(["kubectl", "config", "set-context", context, "--cluster=\(cluster)", "--user=\(user)"]))
            after.append(Self.line(of: .init(cluster: cluster, user: user), named: context))
        }
        return actions.isEmpty ? SetupChange() : SetupChange(steps: [step(actions, before: before, after: after)])
    }

    func undo() async throws(AuthFailure) -> SetupChange {
        let configuration = try await configuration()
        let all = configuration.contexts.filter { entry in
            guard entry.value.cluster == cluster, let line = configuration.plugins[entry.value.user]?.line else { return false }
            return session == nil || line.session == session
        }
        let own = all.filter { $0.value.user.hasPrefix(Self.prefix) }
        if own.isEmpty, let other = all.min(by: { $0.key < $1.key }) {
            throw AuthFailure(
                .configuration, text: "the context \(other.key) with the user \(other.value.user) was not made by yett setup",
                hint: "remove the user yourself: kubectl config delete-user \(ShellWord(other.value.user))")
        }
        var actions: [SetupStep.Action] = []
        var before: [String] = []
        for (name, context) in own.sorted(by: { $0.key < $1.key }) {
            if configuration.currentContext == name { actions.append(.run(["kubectl", "config", "unset", "current-context"])) }
            actions.append(.run(["kubectl", "config", "delete-context", name]))
            before.append(Self.line(of: context, named: name))
        }
        for user in Set(own.map(\.value.user)).sorted() {
            let isUsed = configuration.contexts.contains { own[$0.key] == nil && $0.value.user == user }
            guard !isUsed, let plugin = configuration.plugins[user] else { continue }
            actions.append(.run(["kubectl", "config", "delete-user", user]))
            before += Self.lines(of: plugin, for: user)
        }
        return actions.isEmpty ? SetupChange() : SetupChange(steps: [step(actions, before: before, after: [])])
    }

    private func step(_ actions: [SetupStep.Action], before: [String], after: [String]) -> SetupStep {
        SetupStep(shownFile: files.joined(separator: ":"), files: files, actions: actions, before: before, after: after)
    }

    private static func lines(of plugin: KubectlConfiguration.Plugin, for user: String) -> [String] {
        ["user \(user): runs \(([plugin.command] + plugin.arguments).shellLine)"]
    }

    private static func line(of context: KubectlConfiguration.Context, named name: String) -> String {
        "context \(name): cluster \(context.cluster), user \(context.user)"
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let subject = "kubectl got no token for the cluster \(cluster)"
        guard let plugin = try await configuration().plugins[Self.user(try requiredSession)] else {
            throw AuthFailure(.configuration, text: "\(subject): its user entry is missing", hint: "run the command again")
        }
        let words = [plugin.command] + plugin.arguments
        let cluster = JSONValue.members(("server", JSONValue(try await destination()?.text)))
        let information = JSONValue.members(
            ("apiVersion", .string(KubectlConfiguration.Plugin.version)), ("kind", "ExecCredential"),
            ("spec", .members(("cluster", cluster), ("interactive", false))))
        let exchange = try await environment.run(words, with: ["KUBERNETES_EXEC_INFO": information.text])
        let status = (try? JSONValue(strict: exchange.output))?["status"]
        guard exchange.status == 0, status?["token"]?.string?.isEmpty == false else { throw exchange.refusal(subject) }
        return SetupCheck(
            command: words.shellLine, found: "a token", expiresAt: status?["expirationTimestamp"]?.string.flatMap { Timestamp($0) })
    }
}

/// The parts of a kubeconfig that a setup reads, as kubectl prints them.
struct KubectlConfiguration: Sendable {
    /// A credential plugin of a user entry.
    struct Plugin: Equatable, Sendable {
        static let version = "client.authentication.k8s.io/v1"

        let command: String
        let arguments: [String]
        /// Whether the entry has the version, the mode and the cluster information that a setup gives it.
        var isComplete = true

        /// The helper of Yett; `nil` for another plugin.
        var line: HelperLine? { HelperLine([command] + arguments, helper: "kubectl") }
    }

    /// A context: which user is used for which cluster.
    struct Context: Equatable, Sendable {
        let cluster: String
        let user: String
    }

    /// The URLs of the clusters' servers.
    var servers: [String: String] = [:]
    /// The plugins of the users; one without a command is a user with other credentials.
    var plugins: [String: Plugin] = [:]
    var contexts: [String: Context] = [:]
    var currentContext = ""

    /// Throws `.configuration` if kubectl cannot read its configuration.
    static func read(in environment: SetupEnvironment) async throws(AuthFailure) -> KubectlConfiguration {
        // Without --raw, kubectl leaves out the secrets.
        let words = ["kubectl", "config", "view", "--output=json"]
        let text = try await environment.output(of: words)
        guard let value = try? JSONValue(strict: Array(text.utf8), limits: .init(bytes: 4 << 20, depth: 64)) else {
            throw AuthFailure(.configuration, text: "kubectl printed no JSON", hint: "run it yourself: \(words.shellLine)")
        }
        return KubectlConfiguration(value)
    }

    private init(_ value: JSONValue) {
        func named(_ list: String, _ member: String) -> [(name: String, value: JSONValue)] {
            (value[list]?.array ?? []).compactMap { item in
                guard let name = item["name"]?.string else { return nil }
                return (name, item[member] ?? .null)
            }
        }
        for (name, cluster) in named("clusters", "cluster") { servers[name] = cluster["server"]?.string ?? "" }
        for (name, context) in named("contexts", "context") {
            contexts[name] = Context(cluster: context["cluster"]?.string ?? "", user: context["user"]?.string ?? "")
        }
        for (name, user) in named("users", "user") {
            let exec = user["exec"]
            plugins[name] = Plugin(
                command: exec?["command"]?.string ?? "", arguments: exec?["args"]?.strings ?? [],
                isComplete: exec?["apiVersion"]?.string == Plugin.version && exec?["provideClusterInfo"]?.bool == true
                    && exec?["interactiveMode"]?.string == "IfAvailable")
        }
        currentContext = value["current-context"]?.string ?? ""
    }

    /// The clusters with a context whose user has a plugin of Yett.
    var entries: [SetupEntry] {
        contexts.values.compactMap { context in
            guard let line = plugins[context.user]?.line else { return nil }
            return SetupEntry(
                tool: .kubectl, target: context.cluster, session: line.session,
                destination: servers[context.cluster].flatMap { WebURL($0) })
        }.sorted { ($0.target, $0.session?.description ?? "") < ($1.target, $1.session?.description ?? "") }
    }
}
