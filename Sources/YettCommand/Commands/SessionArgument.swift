internal import ArgumentParser
internal import AuthModel

extension SessionName {
    /// Reads a name from the command line; throws `.usage`.
    init(argument text: String) throws(AuthFailure) {
        guard let name = SessionName(text) else {
            throw AuthFailure(.usage, "'\(text)' cannot name a session", hint: "write it as PROVIDER or PROVIDER/ACCOUNT; see: yett status")
        }
        self = name
    }
}

extension ProviderName {
    /// Reads a name from the command line; throws `.usage`.
    init(argument text: String) throws(AuthFailure) {
        guard let name = ProviderName(text) else {
            throw AuthFailure(
                .usage, "'\(text)' cannot name a provider",
                hint: "use up to 64 letters, digits, '.', '_' and '-', not beginning with '.' or '-'")
        }
        self = name
    }
}

extension [SessionSummary] {
    /// The sessions that a name stands for: the account's, or all at the provider. Throws `.notSignedIn` where there is none.
    func named(_ name: SessionName) throws(AuthFailure) -> [SessionSummary] {
        let found = filter { $0.name.provider == name.provider && (name.account == nil || $0.name.account == name.account) }
        guard found.isEmpty else { return found }
        let near = map(\.name.description).nearest(to: name.description)
        throw AuthFailure(
            .notSignedIn, "there is no session \(name)",
            hint: near.map { "did you mean \($0)?" }
                ?? (isEmpty ? "sign in with: yett login \(name.provider)" : "the sessions are in: yett status"))
    }

    /// The one session that a name stands for. Throws `.notSignedIn` for none, `.usage` for several.
    func only(_ name: SessionName) throws(AuthFailure) -> SessionSummary {
        let found = try named(name)
        guard found.count == 1 else { throw Self.ambiguous(found, "several accounts are signed in at \(name.provider)") }
        return found[0]
    }

    /// The one session there is. Throws `.notSignedIn` for none, `.usage` for several.
    func only() throws(AuthFailure) -> SessionSummary {
        guard let first else { throw AuthFailure(.notSignedIn, "nobody is signed in", hint: "sign in with: yett login") }
        guard count == 1 else { throw Self.ambiguous(self, "there are several sessions") }
        return first
    }

    private static func ambiguous(_ sessions: [SessionSummary], _ summary: String) -> AuthFailure {
        AuthFailure(.usage, summary, hint: "name one: " + sessions.map(\.name.description).joined(separator: ", "))
    }
}
