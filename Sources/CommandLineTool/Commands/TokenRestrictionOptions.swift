internal import ArgumentParser
internal import AuthModel
internal import OAuth

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
