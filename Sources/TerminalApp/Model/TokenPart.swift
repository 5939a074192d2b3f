import AuthModel
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

    /// Returns the name of a member, with its meaning if it is a registered one.
    func name(of member: JSONValue.Member) -> String {
        let meaning = kind == .header ? ClaimWords.headerName(member.name) : ClaimWords.name(member.name)
        return meaning.map { $0 == member.name ? member.name : "\(member.name) (\($0))" } ?? member.name
    }
}

extension TokenView {
    /// The number of claims.
    var claimCount: Int { claims?.members?.count ?? 0 }

    /// How much the token shows: its claims, or less than any JWT if it cannot be decoded.
    var richness: Int { header == nil ? claimCount - 1_000_000 : claimCount }
}
