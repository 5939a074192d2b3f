import FoundationEssentials
import ProcessHarness
import Testing

/// skopeo in a home, and a genuine registry with what its token server saw.
struct RegistryClient {
    let home: TemporaryHome
    let server: StartedServer

    static let isInstalled = ToolServer.registry.isInstalled && Product.installed("skopeo") != nil
    static let absence: Comment = "docker-registry or skopeo is not installed: see Tests/RealProviders/install"

    private static let imageSettings = #"{"architecture":"amd64","os":"linux","rootfs":{"type":"layers"}}"#
    private static let settingsDigest = "1143aed0fc24734243c541c69c93e74a00b11839bcea9d7b29acfd586d1ba6ce"
    /// The files of an image without layers, as skopeo writes an image to a folder.
    static let image = [
        "version": "Directory Transport Version: 1.1\n", settingsDigest: imageSettings,
        "manifest.json": """
        {"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json","layers":[],"config":\
        {"mediaType":"application/vnd.docker.container.image.v1+json","size":\(imageSettings.utf8.count),\
        "digest":"sha256:\(settingsDigest)"}}
        """,
    ]

    /// Writes the image to the home.
    init(home: TemporaryHome, server: StartedServer) throws {
        self.home = home
        self.server = server
        for (name, text) in Self.image { try home.write(text, to: "image/" + name) }
    }

    /// The registry as the names of its images have it.
    var registry: String { String(server.address.dropFirst("http://".count)) }

    /// `PATH`, with the folder for the user's programs and the built programs first.
    var path: String {
        home.path + "/.local/bin:" + Product.searchPath
    }

    /// Makes skopeo call Yett for the registry, as `yett setup docker` does for a session.
    func setUp() throws {
        try home.write("{\"credHelpers\":{\"\(registry)\":\"yett\"}}", to: ".docker/config.json")
        try home.write(
            "#!/bin/sh\nexec yett helper docker \"$@\"\n", to: ".local/bin/docker-credential-yett", permissions: 0o700)
    }

    /// Runs `yett` as the user does, who has the folder for programs in `PATH`.
    func yett(_ words: String...) async throws -> ProgramResult {
        try await home.program("yett-main", words, with: ["PATH": path]).run()
    }

    /// The arguments that copy the image to the registry.
    var push: [String] { ["--insecure-policy", "copy", "--dest-tls-verify=false", "dir:image", "docker://\(registry)/team/image:1"] }
    /// The arguments that copy it from the registry to the folder `copy`.
    var pull: [String] { ["--insecure-policy", "copy", "--src-tls-verify=false", "docker://\(registry)/team/image:1", "dir:copy"] }
    /// The arguments that print what the registry has.
    var inspect: [String] { ["inspect", "--tls-verify=false", "docker://\(registry)/team/image:1"] }

    /// Runs skopeo, without a terminal.
    func skopeo(_ words: [String]) async throws -> ProgramResult {
        try await Program(
            #require(Product.installed("skopeo")), words, environment: home.environment(with: ["PATH": path]), folder: home.path
        ).run()
    }

    /// What the token server answered, a line for each request.
    var answers: [String] { String(decoding: server.read("tokens.log") ?? [], as: UTF8.self).split(separator: "\n").map(String.init) }

    static let accepted = "accepted ada for repository:team/image:pull,push"
    static let anonymous = "refused a request without a credential for repository:team/image:pull,push"

    /// Copies the image, and expects that the helper fails, that the user reads why and what to do, and that no server got a credential.
    func expectNoCredential(_ error: String, hint: String) async throws {
        let result = try await skopeo(push)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.hasPrefix("yett: error: \(error)\nyett: hint: \(hint)\n"), "\(result)")
        // skopeo quotes the helper's standard output in its own message.
        let quoted = "\(error); \(hint)".replacing("\"", with: "\\\"")
        #expect(result.errors.contains("error getting credentials - err: exit status 1, out: `\(quoted)`"), "\(result)")
        #expect(answers == [])
    }

    /// Copies the image, and expects that skopeo goes on without a credential, and that the user reads before why there is none.
    func expectAnonymousRequest(_ error: String, hint: String) async throws {
        let result = try await skopeo(push)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.hasPrefix("yett: error: \(error)\nyett: hint: \(hint)\n"), "\(result)")
        #expect(result.errors.contains("unable to retrieve auth token: invalid username/password"), "\(result)")
        #expect(answers == [Self.anonymous])
    }

    /// Expects that skopeo, which calls no helper for the registry, is refused there.
    func expectRefusedWithoutHelper() async throws {
        let result = try await skopeo(push)
        #expect(result.status == 1 && !result.errors.contains("yett"), "\(result)")
        #expect(answers.last == Self.anonymous)
    }

    /// Expects that a token is in no file of the home or the servers, and in no output.
    func expectNowhere(_ token: String, outputs: [ProgramResult]) {
        #expect(token.utf8.count > 20)
        for text in [token, Data("oauth2:\(token)".utf8).base64EncodedString()] {
            #expect(home.files(containing: text) == [] && server.files(containing: text) == [])
            #expect(outputs.allSatisfy { !$0.output.contains(text) && !$0.errors.contains(text) })
        }
    }
}
