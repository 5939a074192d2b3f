package import AuthModel

/// The difference between two versions of a token, such as before and after a renewal.
package struct TokenChanges: Equatable, Sendable {
    /// One difference.
    package enum Change: Equatable, Sendable {
        case added(String)
        case removed(String)
        /// A claim with another value.
        case changed(String)
    }

    /// The scopes, then the audiences, then the other claims.
    package let changes: [Change]

    /// Claims that are different in every token.
    private static let alwaysDifferent: Set = [
        "exp", "iat", "nbf", "jti", "auth_time", "at_hash", "c_hash", "s_hash", "nonce", "rat", "uti",
    ]
    /// Claims whose value is a set of words.
    private static let sets = ["scope", "scp", "aud"]

    /// Compares the claims of two versions.
    package init(from old: JSONValue?, to new: JSONValue?) {
        var changes: [Change] = []
        for name in Self.sets {
            let (before, after) = (Self.words(old?[name], of: name), Self.words(new?[name], of: name))
            // The audience is named, because its value may look like a scope.
            let prefix = name == "aud" ? "aud " : ""
            changes += after.filter { !before.contains($0) }.map { .added(prefix + $0) }
            changes += before.filter { !after.contains($0) }.map { .removed(prefix + $0) }
        }
        let skipped = Self.alwaysDifferent.union(Self.sets)
        let (before, after) = (old?.members ?? [], new?.members ?? [])
        for member in after where !skipped.contains(member.name) {
            guard let former = old?[member.name] else {
                changes.append(.added(member.name))
                continue
            }
            if former != member.value { changes.append(.changed(member.name)) }
        }
        changes += before.filter { !skipped.contains($0.name) && new?[$0.name] == nil }.map { .removed($0.name) }
        self.changes = changes
    }

    /// Returns the scopes of a token's claims, from `scope` (RFC 9068) or `scp`.
    package static func scopes(of claims: JSONValue?) -> [String] {
        let scope = words(claims?["scope"], of: "scope")
        return scope.isEmpty ? words(claims?["scp"], of: "scp") : scope
    }

    private static func words(_ value: JSONValue?, of name: String) -> [String] {
        guard let value else { return [] }
        if let texts = value.strings { return texts }
        guard let text = value.string else { return [] }
        // An audience may contain a space; scopes are separated by it.
        return name == "aud" ? [text] : text.split(separator: " ").map(String.init)
    }
}
