package import AuthModel

/// Checks for keys that are not allowed in this provider's table, with any value.
extension ProviderReader {
    /// Throws if the table contains a secret, because secrets never belong in the configuration; the hint says where they belong.
    package func refuseSecrets(kind: ProviderKind?) throws(AuthFailure) {
        func refusal(of key: String, hint: UserMessage) -> AuthFailure {
            section.error(UserMessage("config.secret_in_configuration", ["key": key]), at: key, hint: hint)
        }
        let secret = "client_secret"
        if section.has(secret) {
            let standardHint = UserMessage("hint.use_secret_file")
            throw refusal(of: secret, hint: kind.flatMap { rules.kind($0).foreignSecrets[secret] } ?? standardHint)
        }
        // A secret of another kind is not a key of any kind, so look for the secrets of all kinds.
        for kind in [kind].compactMap(\.self) + ProviderKind.allCases {
            let hints = rules.kind(kind).foreignSecrets.filter { $0.key != secret && section.has($0.key) }
            if let (key, hint) = hints.min(by: { $0.key < $1.key }) { throw refusal(of: key, hint: hint) }
        }
    }

    /// Throws if the table contains a key of another kind; the message names that kind.
    package func refuseForeignKeys(kind: ProviderKind) throws(AuthFailure) {
        let own = rules.ownKeys(of: kind)
        for key in section.keys where !own.contains(key) {
            let others = ProviderKind.allCases.filter { rules.ownKeys(of: $0).contains(key) }
            guard !others.isEmpty else { continue }
            let names = others.map { "\"\($0.rawValue)\"" }.joined(separator: " and ")
            throw section.error(
                UserMessage("config.key_of_other_kind", ["key": key, "kinds": names]), at: key, hint: "hint.remove_or_change_kind")
        }
    }
}
