internal import AuthModel

/// A sign-in that a request of a bridge needs, as the command that the user could run.
struct WantedSignIn: Equatable {
    /// The session, the provider or the server's URL.
    let target: String
    /// The option that names the account at a provider without a session.
    var account: [String] = []
    /// Whether it replaces a session that seems to be valid.
    var isForced = false
    /// The scopes that the command names.
    var scopes: [String] = []
    /// Those of them that the session does not have.
    var added: [String] = []
    var contextClasses: [String] = []
    var maxAge: Int?
    var claims: String?
    /// Whether the user must sign in at the provider, although a session there may be open.
    var repeatsLogin = false

    init(target: String, account: [String] = []) { (self.target, self.account) = (target, account) }

    /// The arguments of `yett login`. An option and its value are one word: a value that a server chose is never taken for an option.
    var arguments: [String] {
        var words = [target] + (isForced ? ["--force"] : []) + account + scopes.map { "--scope=\($0)" }
        if !contextClasses.isEmpty { words.append("--acr-values=" + contextClasses.joined(separator: " ")) }
        if let maxAge { words.append("--max-age=\(maxAge)") }
        if let claims { words.append("--claims=\(claims)") }
        return words + (repeatsLogin ? ["--prompt", "login"] : [])
    }

    /// Returns a sign-in that meets both wants; `nil` if no single one does.
    func joined(with other: WantedSignIn) -> WantedSignIn? {
        guard target == other.target, account == other.account, claims == nil || other.claims == nil || claims == other.claims,
            contextClasses.isEmpty || other.contextClasses.isEmpty || contextClasses == other.contextClasses
        else { return nil }
        var both = self
        both.isForced = isForced || other.isForced
        both.scopes = ScopeSet(scopes + other.scopes).values
        both.added = ScopeSet(added + other.added).values
        both.contextClasses = contextClasses.isEmpty ? other.contextClasses : contextClasses
        both.maxAge = [maxAge, other.maxAge].compactMap(\.self).min()
        both.claims = claims ?? other.claims
        both.repeatsLogin = false
        both.repeatsLogin = both.arguments.count == 1 && (repeatsLogin || other.repeatsLogin)
        return both
    }
}
