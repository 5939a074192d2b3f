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

    /// Parses the session, which only `--remove` does not need.
    func session(_ text: String?) throws(AuthFailure) -> SessionName? {
        guard let text else {
            guard remove else {
                throw AuthFailure(.usage, text: "no session given", hint: "add PROVIDER or PROVIDER/ACCOUNT; list them with: yett status")
            }
            return nil
        }
        return try SessionName(argument: text)
    }
}
