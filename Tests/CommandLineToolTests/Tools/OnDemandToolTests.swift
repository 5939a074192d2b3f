import OAuth
import ProcessHarness
import TestSupport
import Testing

/// Genuine tools at a terminal, whose first request signs the user in.
@Suite(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct OnDemandToolTests {
    private static let imageSettings = #"{"architecture":"amd64","os":"linux","rootfs":{"type":"layers"}}"#
    /// The manifest of an image without layers; the digest is that of `imageSettings`.
    private static let manifest = """
        {"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json","layers":[],"config":\
        {"mediaType":"application/vnd.docker.container.image.v1+json","size":\(imageSettings.utf8.count),\
        "digest":"sha256:1143aed0fc24734243c541c69c93e74a00b11839bcea9d7b29acfd586d1ba6ce"}}
        """

    /// Runs a tool's command line twice in a terminal: the first run signs in, and the second needs no browser.
    private func expectOneSignIn(_ line: String, in world: OnDemandHome, with changes: [String: String?] = [:]) async throws {
        let terminal = try await world.terminal(browser: try world.followingBrowser(), with: changes)
        for _ in 0..<2 {
            let (status, screen) = try await terminal.end(of: terminal.start("\(line) >answer"))
            #expect(status == 0, "\(screen)")
            #expect(world.signIns.count == 1)
        }
        try await world.stopAgent()
    }

    @Test(.enabled(if: Product.installed("kubectl") != nil, "kubectl is not installed"))
    func kubectl() async throws {
        let cluster = try StandInServer { request in
            let isSignedIn = request.header("Authorization")?.hasPrefix("Bearer ") == true
            return .init(status: isSignedIn ? 200 : 401, headers: ["Content-Type: application/json"], body: Array("{}".utf8))
        }
        let authority = try TestAuthority()
        let front = try authority.front("good", to: cluster.port)
        let world = try await OnDemandHome("api_hosts = [\"127.0.0.1:\(front.port)\"]")
        try world.home.write(
            Kubeconfig(server: front.port, authority: authority.rootFile, program: "yett", mode: "IfAvailable").text, to: ".kube/config")
        try await expectOneSignIn("kubectl get --raw /version", in: world)
        #expect(world.text("answer") == "{}")
        #expect(!cluster.requests.isEmpty && cluster.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("Bearer ") == true })
    }

    @Test(.enabled(if: Product.installed("aws") != nil, "aws is not installed"))
    func aws() async throws {
        let service = try TokenServiceStandIn()
        let world = try await OnDemandHome("api_hosts = [\"127.0.0.1:\(service.port)\"]")
        let endpoint = "http://127.0.0.1:\(service.port)/"
        let helper = "yett helper aws sandbox --role-arn arn:aws:iam::123456789012:role/dev --endpoint \(endpoint)"
        try world.home.write("[profile dev]\nregion = eu-central-1\ncredential_process = \(helper)\n", to: "aws")
        try await expectOneSignIn(
            "aws sts get-caller-identity --profile dev --endpoint-url \(endpoint)", in: world,
            with: ["AWS_CONFIG_FILE": world.home.path + "/aws", "AWS_PAGER": ""])
        // The tool's own requests are signed with the credentials, which it got from one exchange.
        let requests = service.requests
        #expect(requests.filter { $0.contains("Action=AssumeRoleWithWebIdentity") }.count == 1)
        #expect(requests.filter { $0.contains("Credential=\(TokenServiceStandIn.keyID)/") }.count == 2)
    }

    @Test(.enabled(if: Product.installed("docker") != nil, "docker is not installed"))
    func docker() async throws {
        let registry = try StandInServer { request in
            guard request.header("Authorization")?.hasPrefix("Basic ") == true else {
                return .init(status: 401, headers: ["WWW-Authenticate: Basic realm=\"registry\""])
            }
            guard !request.target.contains("/blobs/") else { return .init(body: Array(Self.imageSettings.utf8)) }
            return .init(
                headers: ["Content-Type: application/vnd.docker.distribution.manifest.v2+json"], body: Array(Self.manifest.utf8))
        }
        // docker tries https first, and this server would wait for the rest of a request.
        let front = try TestAuthority().front("good", to: registry.port)
        let name = "127.0.0.1:\(front.port)"
        let world = try await OnDemandHome("api_hosts = [\"\(name)\"]")
        try world.home.write("{\"credHelpers\":{\"\(name)\":\"yett\"}}", to: ".docker/config.json")
        try world.home.write(
            "#!/bin/sh\nexec yett helper docker \"$@\"\n", to: "bin/docker-credential-yett", permissions: 0o700)
        let path = world.home.path + "/bin:" + Product.searchPath
        try await expectOneSignIn("docker manifest inspect --insecure \(name)/image:1", in: world, with: ["PATH": path])
        let token = try await world.home.yett("token", "sandbox")
        let credential = Base64.encode(Array("oauth2:\(token.output.dropLast())".utf8))
        #expect(registry.requests.contains { $0.header("Authorization") == "Basic \(credential)" })
    }
}
