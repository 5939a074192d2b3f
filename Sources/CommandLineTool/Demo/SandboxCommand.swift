internal import ArgumentParser
internal import AuthModel
internal import SandboxCommandLine
internal import OperatingSystem
internal import UserConfiguration

/// `yett sandbox`: becomes the program `yett-sandbox`.
struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: SandboxOptions.abstract, discussion: SandboxOptions.discussion)
    static let examples: KeyValuePairs = [
        "yett sandbox --port 8080": "Runs the test providers on this port and the next ones.",
        "yett sandbox --vendor none --auto-approve ada": "Runs only the OpenID provider, which signs in ada without a page.",
        "yett sandbox --list-vendors": "Lists the endpoints and settings of the vendor systems.",
    ]
    static let handlesInterruptions = false

    @OptionGroup var sandbox: SandboxOptions

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let program = try context.sandboxProgram()
        let error = context.edges.replaceProcess([program] + sandbox.arguments, context.edges.environment)
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
}
