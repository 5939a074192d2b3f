internal import ArgumentParser
internal import AuthModel

/// `yett setup kubectl`: lets kubectl get tokens for a cluster.
struct KubectlSetupCommand: Subcommand {
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

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT. Default: the only session.", completion: .names(.sessions))
    var session: String?

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try await setup.session(session, in: context)
        let tool = try KubectlSetup(cluster: cluster, session: name, environment: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }
}
