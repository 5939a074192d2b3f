/// Sessions as the configuration names them: `PROVIDER` for the session of the default account, `PROVIDER/ACCOUNT` for one session, and
/// `PROVIDER/*` for all sessions at a provider.
public struct SessionPattern: Hashable, Sendable, CustomStringConvertible {
    /// The accounts at the provider.
    public enum Accounts: Hashable, Sendable {
        case all
        /// The default account, or the only one.
        case standard
        case named(String)
    }

    /// The provider.
    public let provider: ProviderName
    /// The accounts at the provider that match.
    public let accounts: Accounts

    /// Parses a pattern; returns `nil` if it is invalid.
    public init?(_ text: String) {
        if text.hasSuffix("/*"), let provider = ProviderName(String(text.dropLast(2))) {
            (self.provider, accounts) = (provider, .all)
            return
        }
        guard let name = SessionName(text) else { return nil }
        (provider, accounts) = (name.provider, name.account.map(Accounts.named) ?? .standard)
    }

    /// The pattern as it is written.
    public var description: String {
        switch accounts {
        case .all: "\(provider)/*"
        case .standard: provider.text
        case .named(let account): "\(provider)/\(account)"
        }
    }

    /// Returns whether a session of this name would match if it were the only one at its provider.
    public func covers(_ name: SessionName) -> Bool {
        guard name.provider == provider, let account = name.account else { return name.provider == provider }
        return accounts == .all || accounts == .named(account)
    }

    /// Returns the sessions that match.
    ///
    /// - Parameter standardAccount: returns the default account of a provider; `nil` if it has none.
    public func sessions(
        among sessions: [SessionSummary], standardAccount: (ProviderName) -> String?
    ) -> [SessionSummary] {
        let own = sessions.filter { $0.name.provider == provider }
        switch accounts {
        case .all: return own
        case .named(let account): return own.filter { $0.name.account == account }
        case .standard:
            let chosen = standardAccount(provider)
            return own.count == 1 ? own : own.filter { $0.name.account == chosen && chosen != nil }
        }
    }
}
