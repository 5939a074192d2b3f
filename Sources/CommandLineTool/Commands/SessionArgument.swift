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
        let near = first { $0.name.description == map(\.name.description).nearest(to: name.description) }?.name.shellWord
        throw AuthFailure(
            .notSignedIn, "there is no session \(name)",
            hint: near.map { "did you mean \($0)?" }
                ?? (isEmpty ? "sign in with: yett login \(name.provider)" : "the sessions are in: yett status"))
    }

    /// The one session there is. Throws `.notSignedIn` for none, `.usage` for several.
    func only() throws(AuthFailure) -> SessionSummary {
        guard let first else { throw AuthFailure(.notSignedIn, "nobody is signed in", hint: "sign in with: yett login") }
        guard count == 1 else {
            throw AuthFailure(
                .usage, "there are several sessions", hint: "name one: " + map(\.name.shellWord).joined(separator: ", "))
        }
        return first
    }
}

extension SessionService {
    /// The one session that a name stands for: the account's, or where none is named, the only one there, or the active account's.
    /// Throws `.notSignedIn` for none, `.usage` for several.
    ///
    /// - Parameters:
    ///   - name: `nil` stands for the only session that there is anywhere.
    ///   - known: the sessions, where they were asked for before.
    func only(_ name: SessionName?, among known: [SessionSummary]? = nil) async throws(AuthFailure) -> SessionSummary {
        var sessions = known ?? []
        if known == nil { sessions = try await self.sessions() }
        guard let name else { return try sessions.only() }
        let found = try sessions.named(name)
        if let only = found.first, found.count == 1 { return only }
        let active = try await providers().first { $0.name == name.provider }?.activeAccount
        guard let chosen = found.first(where: { active != nil && $0.name.account == active }) else {
            throw found.ambiguity(at: name.provider)
        }
        return chosen
    }
}
