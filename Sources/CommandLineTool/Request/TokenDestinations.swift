internal import AuthEngine
internal import AuthModel

/// Where a provider's tokens may be sent, for the commands: the gate's decision, and the provider that an address belongs to instead.
struct TokenDestinations {
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
        let refusal = gate.refusal(of: url)
        throw other(for: url, in: configuration).map { naming($0, for: url, in: refusal) } ?? refusal
    }

    /// Refuses an address that belongs to another provider; one that belongs to none may turn out to be this one's.
    ///
    /// - Parameter isSignIn: whether somebody is to sign in there, and no request is sent.
    func refuseOthers(_ url: WebURL, in configuration: Configuration, isSignIn: Bool = false) throws(AuthFailure) {
        guard !includes(url), let right = other(for: url, in: configuration) ?? otherPlace(of: url, in: configuration) else { return }
        _ = try CredentialGate.normalized(url)
        throw naming(right, for: url, in: gate.refusal(of: url), isSignIn: isSignIn)
    }

    private func naming(
        _ right: ProviderConfiguration, for url: WebURL, in refusal: AuthFailure, isSignIn: Bool = false
    ) -> AuthFailure {
        var refusal = refusal
        refusal.summary += ": it belongs to the provider \(right.name)"
        refusal.hint =
            isSignIn
            ? "sign in with: yett login \(right.name) --resource \(ShellWord(url.description))"
            : "those of \(right.name) are: yett request \(right.name) \(ShellWord(url.description))"
        return refusal
    }

    private func other(for url: WebURL, in configuration: Configuration) -> ProviderConfiguration? {
        configuration.providers.first { $0.name != provider.name && CredentialGate($0).admits(url) }
    }

    /// The provider at whose own host an address is, of those that have servers beside them.
    private func otherPlace(of url: WebURL, in configuration: Configuration) -> ProviderConfiguration? {
        guard !gate.namesOrigin(of: url) else { return nil }
        return configuration.providers.first { other in
            other.name != provider.name && CredentialGate(other).findsServers && CredentialGate(other).namesOrigin(of: url)
        }
    }
}
