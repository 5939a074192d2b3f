internal import AuthEngine
internal import AuthModel
internal import TOML
internal import UserConfiguration

/// The question whether the hosts that sign the user in, and the one that gets the tokens, belong together (`sign_in_hosts`).
///
/// Only the user at a terminal answers it. No option does, and no hint has the answer, because the resource's servers choose the hosts.
struct SignInHostsQuestion {
    let context: CommandContext
    /// The hosts; that of the tokens is the last.
    let hosts: [String]

    /// Asks the user; the default answer is no.
    ///
    /// - Parameter target: the argument of `yett login` that asks this.
    /// - Throws: `.usage` if the user cannot be asked, `.cancelled` if the answer is not yes.
    func ask(about target: String) async throws(AuthFailure) {
        let (pages, tokens) = (hosts.dropLast().joined(separator: " and "), hosts.last ?? "")
        let fact = "you would sign in at \(pages), and \(tokens) would get the tokens"
        context.console.note("\(fact):")
        context.console.note("  only if \(tokens) belongs to \(pages); otherwise it could use your account there")
        guard context.canAsk else {
            throw AuthFailure(
                .usage, text: "\(fact), and you have not confirmed it", hint: Self.hint(for: target))
        }
        guard await context.agrees(to: "Do they belong together?") else {
            throw AuthFailure(.cancelled, text: "\(pages) and \(tokens) were not confirmed")
        }
    }

    /// Returns what to do where the user cannot be asked.
    static func hint(for target: String) -> String { "if they belong together, confirm it at a terminal: yett login \(ShellWord(target))" }

    /// Asks the user, and adds the hosts to those of a provider; if another host got the tokens there, they replace them. Returns the
    /// provider as it is configured then.
    ///
    /// - Parameter service: the session service of the next sign-in.
    func confirm(_ provider: ProviderConfiguration, for service: any SessionService) async throws(AuthFailure) -> ProviderConfiguration {
        try await ask(about: provider.name.text)
        let file = try context.configurationFile()
        let former = provider.signInHosts.last == hosts.last ? Array(provider.signInHosts.dropLast()) : []
        let confirmed = former + hosts.filter { !former.contains($0) }
        try file.change { (editor, _) throws(AuthFailure) in
            do throws(TOMLError) {
                try editor.set("sign_in_hosts", in: ["providers", provider.name.text], to: TOMLText.list(confirmed))
            } catch {
                throw AuthFailure(error, in: file.path)
            }
        } isIntended: { changed in
            changed.provider(provider.name)?.signInHosts == confirmed
        }
        let configuration = try file.read()
        // The agent reads the file by itself.
        if let engine = service as? Engine { engine.configure(configuration.providers) }
        return try configuration.named(provider.name.text)
    }
}
