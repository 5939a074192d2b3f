internal import AuthEngine
internal import AuthModel

/// Where a provider's tokens may be sent, for the commands: the gate's decision, and the provider that an address belongs to instead.
struct TokenReach {
    let provider: ProviderConfiguration
    private var gate: CredentialGate { CredentialGate(provider) }

    /// Whether a token may go to `url`. A host that is written without a port is its scheme's own port.
    func includes(_ url: WebURL) -> Bool { gate.admits(url) }

    /// Refuses every address a token must not go to. Nothing is sent before this was asked.
    ///
    /// - Parameter configuration: all providers, to name the one whose tokens are for it.
    func require(_ url: WebURL, in configuration: Configuration) throws(AuthFailure) {
        guard !includes(url) else { return }
        _ = try CredentialGate.normalized(url)
        var refusal = gate.refusal(of: url)
        if let right = other(for: url, in: configuration) {
            refusal.hint = "those of \(right.name) are: yett request \(right.name) \(ShellWord(url.description))"
        }
        throw refusal
    }

    /// Refuses an address that belongs to another provider; one that belongs to none may turn out to be this one's.
    func refuseOthers(_ url: WebURL, in configuration: Configuration) throws(AuthFailure) {
        guard !includes(url), other(for: url, in: configuration) != nil else { return }
        try require(url, in: configuration)
    }

    private func other(for url: WebURL, in configuration: Configuration) -> ProviderConfiguration? {
        configuration.providers.first { $0.name != provider.name && CredentialGate($0).admits(url) }
    }
}
