import AuthModel
import ProcessHarness
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup kubectl` with the installed kubectl.
@Suite(.enabled(if: Product.installed("kubectl") != nil, "kubectl is not installed"))
struct SetupKubectlTests {
    /// Adds the cluster `production`, which never gets a request.
    private func withCluster(_ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        try await withSetupWorld { server, world in
            try world.tool("kubectl", "config", "set-cluster", "production", "--server=https://api.example.org:6443")
            try await body(server, world)
        }
    }

    @Test func kubectlSendsTheTokenAndRemovingRestoresEveryByte() async throws {
        let authority = try TestAuthority()
        try await withSetupWorld { server, world in
            let front = try authority.front("good", to: server.port)
            try world.tool(
                "kubectl", "config", "set-cluster", "production", "--server=https://127.0.0.1:\(front.port)",
                "--certificate-authority=\(authority.rootFile)")
            let kubeconfig = try world.content(".kube/config")
            let configuration = try world.text(world.configurationPath)
            let result = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 0)
            let lines = result.output.split(separator: "\n")
            #expect(lines.first == "set up: kubectl gets tokens of sandbox for the cluster production")
            #expect(lines.last?.hasPrefix("checked: yett helper kubectl sandbox returned a token, valid for ") == true)
            #expect(
                result.errors == """
                    Let kubectl get tokens of sandbox for the cluster production:
                      \(world.home)/.kube/config
                        $ kubectl config set-credentials yett/sandbox --exec-api-version=client.authentication.k8s.io/v1 --exec-command=yett --exec-arg=helper --exec-arg=kubectl --exec-arg=sandbox --exec-interactive-mode=IfAvailable --exec-provide-cluster-info
                        $ kubectl config set-context sandbox@production --cluster=production --user=yett/sandbox
                        + user yett/sandbox: runs yett helper kubectl sandbox
                        + context sandbox@production: cluster production, user yett/sandbox
                      \(world.configurationPath), [providers.sandbox]
                        + api_hosts = ["127.0.0.1:\(front.port)"]
                    yett: hint: use it with: kubectl --context sandbox@production, or make it the default: kubectl config use-context sandbox@production

                    """)
            // The sandbox has no API of Kubernetes; the request that it gets has the token.
            server.clearRequests()
            let exchange = try world.exchange("kubectl", "--context", "sandbox@production", "get", "--raw", "/version")
            let token = await world.run("token", "sandbox", "--id-token").output.dropLast()
            #expect(server.requests.first?.header("Authorization") == "Bearer \(token)", "\(exchange.errorLines)")
            #expect(!(result.output + result.errors).contains(token))

            let list = await world.setUp("--list")
            #expect(list.output == "TOOL     FOR         SESSION\nkubectl  production  sandbox\n")
            let again = await world.setUp("kubectl", "production", "sandbox", exits: 0)
            #expect(
                again.output.hasPrefix("already set up: kubectl gets tokens of sandbox for the cluster production; nothing was changed\n"))

            await world.setUp("kubectl", "production", "--remove", "--yes", exits: 0)
            #expect(try world.content(".kube/config") == kubeconfig)
            #expect(try world.text(world.configurationPath) == configuration)
            #expect(await world.setUp("kubectl", "production", "--remove").output.hasPrefix("not set up: "))
        }
    }

    @Test func currentContextIsUnsetWithItsContext() async throws {
        try await withCluster { _, world in
            let kubeconfig = try world.content(".kube/config")
            await world.setUp("kubectl", "production", "sandbox", "--yes")
            try world.tool("kubectl", "config", "use-context", "sandbox@production")
            let removed = await world.setUp("kubectl", "production", "sandbox", "--remove", "--yes")
            #expect(removed.errors.contains("    $ kubectl config unset current-context\n"))
            #expect(try world.content(".kube/config") == kubeconfig)
        }
    }

    @Test func contextThatTheUserMadeIsNotRemoved() async throws {
        try await withCluster { _, world in
            try world.tool(
                "kubectl", "config", "set-credentials", "mine", "--exec-command=yett", "--exec-arg=helper", "--exec-arg=kubectl",
                "--exec-arg=sandbox", "--exec-api-version=client.authentication.k8s.io/v1")
            try world.tool("kubectl", "config", "set-context", "mine", "--cluster=production", "--user=mine")
            let kubeconfig = try world.content(".kube/config")
            #expect(await world.setUp("--list").output.hasSuffix("kubectl  production  sandbox\n"))
            let removed = await world.setUp("kubectl", "production", "--remove", "--yes", exits: 2)
            #expect(
                removed.errors == """
                    yett: error: the context mine with the user mine was not made by yett setup
                    yett: hint: remove the user yourself: kubectl config delete-user mine

                    """)
            #expect(try world.content(".kube/config") == kubeconfig)
        }
    }

    @Test func unknownClusterIsRefused() async throws {
        try await withCluster { _, world in
            let kubeconfig = try world.content(".kube/config")
            let result = await world.setUp("kubectl", "staging", "sandbox", "--yes", exits: 2)
            #expect(result.errors == "yett: error: kubectl knows no cluster 'staging'\nyett: hint: use one of: production\n")
            try world.tool("kubectl", "config", "set-cluster", "open", "--server=http://api.example.org")
            let open = await world.setUp("kubectl", "open", "sandbox", "--yes", exits: 2)
            #expect(open.errors.contains("kubectl sends tokens to https servers only, and the cluster open has http://api.example.org"))
            try world.tool("kubectl", "config", "delete-cluster", "open")
            #expect(try world.content(".kube/config") == kubeconfig)
        }
    }

    @Test func contextsAndUsersOfOthersStay() async throws {
        try await withCluster { _, world in
            try world.tool("kubectl", "config", "set-context", "sandbox@production", "--cluster=production", "--user=admin")
            let context = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 2)
            #expect(context.errors.contains("kubectl already has a context sandbox@production, for the user admin"))
            #expect(context.errors.hasSuffix("yett: hint: remove it first: kubectl config delete-context sandbox@production\n"))
            try world.tool("kubectl", "config", "delete-context", "sandbox@production")
            try world.tool("kubectl", "config", "set-credentials", "yett/sandbox", "--username=ada", "--password=secret-word")
            let kubeconfig = try world.content(".kube/config")
            let user = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 2)
            #expect(user.errors.contains("kubectl already has a user yett/sandbox with other credentials"))
            #expect(!user.errors.contains("secret-word"))
            #expect(try world.content(".kube/config") == kubeconfig)
        }
    }

    @Test func damagedKubeconfigAndMissingKubectlAreReported() async throws {
        try await withSetupWorld { _, world in
            try world.write("clusters: {\n", to: ".kube/config")
            let damaged = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 2)
            #expect(damaged.errors.hasPrefix("yett: error: kubectl failed: error"), "\(damaged.errors)")
            let missing = await world.setUp("kubectl", "production", "sandbox", "--yes", with: ["PATH": try world.folder(with: "yett")])
            #expect(missing.status == 2)
            #expect(missing.errors.hasPrefix("yett: error: kubectl is not in PATH\n"))
        }
    }

    @Test func kubectlThatIsTooOldIsReported() async throws {
        try await withCluster { _, world in
            let kubeconfig = try world.content(".kube/config")
            let kubectl = try #require(Product.installed("kubectl"))
            // What kubectl 1.29 prints.
            let message = "error: unknown flag: --exec-interactive-mode\nSee 'kubectl config set-credentials --help' for usage."
            try world.writeProgram(
                "kubectl", "[[ $2 == set-credentials ]] && { echo \"\(message)\" >&2; exit 1; }\nexec \(kubectl) \"$@\"\n")
            let result = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 2)
            #expect(
                result.errors.hasSuffix(
                    "yett: error: kubectl failed: error: unknown flag: --exec-interactive-mode\nyett: hint: install a newer kubectl\n"))
            #expect(try world.content(".kube/config") == kubeconfig)
        }
    }

    @Test func failureHalfWayRestoresTheKubeconfig() async throws {
        try await withCluster { _, world in
            let kubeconfig = try world.content(".kube/config")
            let kubectl = try #require(Product.installed("kubectl"))
            try world.writeProgram(
                "kubectl", "[[ $2 == set-context ]] && { echo 'error: no space' >&2; exit 1; }\nexec \(kubectl) \"$@\"\n")
            let result = await world.setUp("kubectl", "production", "sandbox", "--yes", exits: 2)
            #expect(result.errors.contains("yett: error: kubectl failed: error: no space\n"))
            #expect(try world.content(".kube/config") == kubeconfig)
            #expect(try !world.text(world.configurationPath).contains("api_hosts"))
        }
    }
}
