internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

extension ArgumentHelp {
    /// The help for a session that must be named.
    static var session: ArgumentHelp { "PROVIDER or PROVIDER/ACCOUNT." }
    /// The help for a session whose name is only needed if there are several.
    static var onlySession: ArgumentHelp { "PROVIDER or PROVIDER/ACCOUNT. Default: the only session." }
}

extension SessionName {
    /// Parses a name from the command line. Throws `.usage`.
    init(argument text: String) throws(AuthFailure) {
        guard let name = SessionName(text) else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a session name", hint: "use PROVIDER or PROVIDER/ACCOUNT; list sessions with: yett status")
        }
        self = name
    }
}

extension [SessionSummary] {
    /// Returns the only session. Throws `.notSignedIn` if there is none, `.usage` if there are several.
    func only() throws(AuthFailure) -> SessionSummary {
        guard let first else { throw AuthFailure(.notSignedIn, text: "not signed in", hint: "sign in with: yett login") }
        guard count == 1 else {
            throw AuthFailure(
                .usage, text: "there are several sessions", hint: "name one: " + map(\.name.shellWord).joined(separator: ", "))
        }
        return first
    }
}

extension SessionService {
    /// Returns the sessions that a name matches: the account's, or all at the provider. Throws `.notSignedIn` if there is none, and says so
    /// if there is no such provider either.
    ///
    /// - Parameter known: the sessions, if the caller has them already.
    func sessions(named name: SessionName, among known: [SessionSummary]? = nil) async throws(AuthFailure) -> [SessionSummary] {
        var sessions = known ?? []
        if known == nil { sessions = try await self.sessions() }
        let here = sessions.filter { $0.name.provider == name.provider }
        let found = here.filter { name.account == nil || $0.name.account == name.account }
        guard found.isEmpty else { return found }
        let near = sessions.map(\.name.description).nearest(to: name.description)
        if near == nil, here.isEmpty, let providers = try? await providers().map(\.name), !providers.contains(name.provider) {
            throw .noProvider(of: name, among: providers)
        }
        let similar = sessions.first { $0.name.description == near }?.name.shellWord
        throw AuthFailure(
            .notSignedIn, text: "there is no session \(name)",
            hint: similar.map { "did you mean \($0)?" }
                ?? (here.isEmpty ? "sign in with: yett login \(name.provider)" : "list sessions with: yett status"))
    }

    /// Returns the session that a name identifies: the named account's; without an account, the provider's only session or the one of its
    /// default account. Throws `.notSignedIn` if there is none, `.usage` if there are several.
    ///
    /// - Parameters:
    ///   - name: the name; `nil` means the only session of all providers.
    ///   - known: the sessions, if the caller has them already.
    func only(_ name: SessionName?, among known: [SessionSummary]? = nil) async throws(AuthFailure) -> SessionSummary {
        var sessions = known ?? []
        if known == nil { sessions = try await self.sessions() }
        guard let name else { return try sessions.only() }
        let found = try await self.sessions(named: name, among: sessions)
        if let only = found.first, found.count == 1 { return only }
        let active = try await providers().first { $0.name == name.provider }?.defaultAccount
        guard let chosen = found.first(where: { active != nil && $0.name.account == active }) else {
            throw found.ambiguity(at: name.provider)
        }
        return chosen
    }
}

/// The options that restrict a token to less than the session allows.
struct TokenRestrictionOptions: ParsableArguments {
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("Request a token with only this scope of the session; may be repeated.", valueName: "scope"))
    var scopes: [String] = []

    @Option(help: ArgumentHelp("Request a token for this resource: an absolute URI (RFC 8707).", valueName: "uri"))
    var audience: String?

    func validate() throws {
        if let bad = restrictions.scopes.values.first(where: { !ScopeSet.isScope($0) }) { throw ValidationError("'\(bad)' is not a scope") }
        if let audience, !ResourceIndicator.isValid(audience) {
            throw ValidationError("'\(audience)' is not a resource; use an absolute URI without a fragment")
        }
    }

    var restrictions: TokenRestrictions {
        TokenRestrictions(scopes: ScopeSet(scopes.flatMap { $0.split(separator: " ").map(String.init) }), audience: audience)
    }

    /// Whether no restriction is given.
    var isEmpty: Bool { scopes.isEmpty && audience == nil }
}
