import AuthModel
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett config check`.
struct ConfigCheckTests {
    private static let text = """
        [ui]
          them = "gate"
        mouse = 3
        [providers.work]
        kind = "oidc"
        issuer = "http://id.example.org"
        client_id = "yett"
        [providers.other]
        kind = "oidc"
        issuer = "https://id.example.org"
        """

    @Test func everyProblemHasItsPlace() async throws {
        let world = try CommandWorld()
        let path = world.home + "/ci.toml"
        try PrivateFile.replace(path, with: Array(Self.text.utf8))
        let result = await world.run("config", "check", "ci.toml", exits: 2)
        #expect(result.errors == "")
        let places = result.output.split(separator: "\n").map { $0.split(separator: " ").first.map(String.init) }
        #expect(places == ["ci.toml:2:3:", "ci.toml:3:1:", "ci.toml:6:1:", "ci.toml:8:1:"], "\(result.output)")
        #expect(result.output.hasPrefix("ci.toml:2:3: unknown key 'them' in [ui]; did you mean 'theme'?\n"), "\(result.output)")
        #expect(result.output.contains(": 'client_id' is missing in [providers.other]; "), "\(result.output)")
    }

    @Test func standardInputIsCheckedAsJSON() async throws {
        let world = try CommandWorld()
        let result = await world.run("config", "check", "-", "--json", user: .init(lines: ["[ui]", "theme = \"a\" b"]), exits: 2)
        let problem = try #require(try result.json["problems"]?.array?.first)
        #expect(try result.json["valid"]?.bool == false)
        #expect(problem["file"]?.string == "<stdin>")
        #expect(problem["line"]?.integer == 2)
        #expect(problem["column"]?.integer == 13)
    }

    @Test func systemFileIsValidByItself() async throws {
        let world = try CommandWorld()
        let lines = ["[policy]", "locked = [\"store\"]"]
        let result = await world.run("config", "check", "-", user: .init(lines: lines), exits: 0)
        #expect(result.output == "<stdin>: valid\n")
        let broken = await world.run("config", "check", "-", user: .init(lines: ["[policy]", "locked = [\"stor\"]"]))
        #expect(broken.output.hasPrefix("<stdin>:2:1: 'stor' is not a key or table"), "\(broken.output)")
    }

    @Test func configurationInForceIncludesLocks() async throws {
        let world = try CommandWorld()
        let system = try world.configureSystem("[policy]\nlocked = [\"store.seal\"]\n")
        #expect(await world.run("config", "check").output == "\(system): valid\n")
        try world.configure("[store]\nseal = \"memory\"\n")
        let path = world.configurationPath
        let result = await world.run("config", "check", exits: 2)
        #expect(result.output.hasPrefix("\(path):2:1: 'store.seal' is locked by \(system):2; "), "\(result.output)")
        try world.configure("[ui]\nmouse = true\n")
        #expect(await world.run("config", "check").output == "\(path): valid\n\(system): valid\n")
        try world.configureSystem("[ui]\ntheme = 1\n")
        #expect(await world.run("config", "check").output.hasPrefix("\(system):2: "))
    }

    @Test func missingFileIsAnError() async throws {
        let result = await (try CommandWorld()).run("config", "check", "nowhere.toml", exits: 2)
        #expect(result.output == "")
        #expect(result.errors.contains("nowhere.toml"))
    }
}
