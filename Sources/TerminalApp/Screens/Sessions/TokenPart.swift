package import AuthModel
import Localization
import TerminalUI

/// A part of a token, or what the provider says about it, with its members.
struct TokenPart: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case header
        case payload
        /// The provider's answer about a token that cannot be decoded (RFC 7662).
        case introspection
        /// The provider's information about the user of a token that cannot be decoded.
        case userInfo
    }

    var kind: Kind
    var members: [JSONValue.Member]

    /// Returns the parts of a token that have members.
    static func parts(of token: TokenView, userInfo: JSONValue?) -> [TokenPart] {
        let isDecoded = token.header != nil
        // User information belongs to the access token, which was used to request it.
        let user = token.kind == .access && token.claimCount == 0 ? userInfo?.members : nil
        return [
            TokenPart(kind: .header, members: token.header?.members ?? []),
            TokenPart(kind: isDecoded ? .payload : .introspection, members: token.claims?.members ?? []),
            TokenPart(kind: .userInfo, members: user ?? []),
        ].filter { !$0.members.isEmpty }
    }

    var title: String {
        switch kind {
        case .header: tr("Header")
        case .payload: InspectorWords.payload
        case .introspection: InspectorWords.introspection
        case .userInfo: SessionWords.userInfo
        }
    }

    /// The role of the part in the token and in its title.
    var role: Role {
        switch kind {
        case .header: .info
        case .payload: .success
        case .introspection, .userInfo: .title
        }
    }

    /// Returns the meaning of a member; nil for an unregistered one.
    func meaning(of member: JSONValue.Member) -> String? {
        kind == .header ? ClaimWords.headerName(member.name) : ClaimWords.name(member.name)
    }
}

extension TokenView {
    /// The number of claims.
    var claimCount: Int { claims?.members?.count ?? 0 }
}

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
