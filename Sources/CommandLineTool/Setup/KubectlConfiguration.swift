internal import AuthModel

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
