internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import UserConfiguration

/// `yett sandbox`: becomes the program `yett-sandbox`, which reads the arguments.
struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Run test providers on loopback.",
        discussion: "An OpenID provider, and the systems of five vendors. yett sandbox --help lists the options.")
    static let examples: KeyValuePairs = [
        "yett sandbox --port 8080": "Runs the test providers on this port and the next ones.",
        "yett sandbox --vendor none --auto-approve ada": "Runs only the OpenID provider, which signs in ada without a page.",
        "yett sandbox --list-vendors": "Lists the endpoints and settings of the vendor systems.",
    ]
    static let handlesInterruptions = false

    @Argument(parsing: .captureForPassthrough, help: "Options of yett-sandbox.")
    var arguments: [String] = []

    /// Returns the command for these arguments, all of which belong to `yett-sandbox`: `--help` too.
    static func passing(_ arguments: [String]) -> SandboxCommand {
        var command = SandboxCommand()
        command.arguments = arguments
        return command
    }

    func run(in context: CommandContext) async throws {
        let program = try context.sandboxProgram()
        let error = context.edges.replaceProcess([program] + arguments, context.edges.environment)
        throw AuthFailure(.configuration, text: "cannot run \(program): \(error.text)")
    }
}

extension CommandContext {
    /// Returns the path of `yett-sandbox`.
    ///
    /// - Throws: `.configuration`, naming the package, if it is not installed.
    func sandboxProgram() throws(AuthFailure) -> String {
        if let program = edges.sandboxProgram { return program }
        throw AuthFailure(
            .configuration, text: "the test providers are not installed: yett-sandbox is missing",
            hint: "install the package yett-sandbox, or build it: swift build --product yett-sandbox")
    }

    /// Returns what `yett-sandbox` prints about itself for an option; `nil` if it is not installed.
    func sandboxOutput(_ option: String) async -> String? {
        guard let program = edges.sandboxProgram else { return nil }
        let output = await DetachedThread.run { [environment = edges.environment] in
            try? CapturedOutput.run(program, [option], environment: environment, limit: 1 << 20, deadline: .seconds(15))
        }
        return output.flatMap { $0.status == 0 ? String(decoding: $0.bytes, as: UTF8.self) : nil }
    }

    /// Returns the parser's description of the options that `yett-sandbox` reads; `nil` if it is not installed.
    func sandboxDescription() async -> JSONValue? {
        guard let text = await sandboxOutput("--experimental-dump-help") else { return nil }
        return (try? JSONValue(strict: text, limits: .init(bytes: 1 << 20, depth: 64)))?["command"]
    }
}

extension ProcessEnvironment {
    /// The path of `yett-sandbox`, beside this program or in `../libexec/yett`; `nil` if it is in neither.
    static var sandboxProgram: String? {
        guard let program, let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        return ["\(folder)/yett-sandbox", "\(folder)/../libexec/yett/yett-sandbox"].first { access($0, X_OK) == 0 }
    }
}
