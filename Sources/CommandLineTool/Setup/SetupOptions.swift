internal import ArgumentParser
internal import AuthModel

/// The options of every command that sets up a tool.
struct SetupOptions: ParsableArguments {
    @Flag(help: "Remove the setup.")
    var remove = false

    @Flag(help: "Make the change without a question.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Returns the named session, otherwise the provider of the only one; `nil` only with `--remove`, which needs none.
    func session(_ text: String?, in context: CommandContext) async throws(AuthFailure) -> SessionName? {
        if let text { return try SessionName(argument: text) }
        guard !remove else { return nil }
        return SessionName(provider: try await context.unlockedService().only(nil).name.provider, account: nil)
    }
}
