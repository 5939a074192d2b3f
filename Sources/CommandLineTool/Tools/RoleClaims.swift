internal import AuthModel

/// The AWS roles that a provider names in a session's claims.
///
/// There is no standard claim for them. Amazon Cognito has claims of its own; other providers put them into roles, groups, or a claim whose
/// name is an address of AWS. Only values that are ARNs of roles count.
struct RoleClaims {
    /// The ARNs, the preferred role first, each once.
    let roles: [String]

    private static let preferred = "cognito:preferred_role"
    private static let names = ["cognito:roles", "roles", "groups"]
    private static let addressPrefix = "https://aws.amazon.com/"
    /// The maximum number of roles.
    private static let limit = 200

    init(_ identity: Identity) {
        let sources = [identity.idTokenClaims, identity.userInfo]
        func values(_ name: String) -> [JSONValue] { sources.compactMap { $0[name] } }
        let addresses = sources.flatMap { ($0.members ?? []).map(\.name) }.filter { $0.hasPrefix(Self.addressPrefix) }
        let texts = ([Self.preferred] + Self.names + addresses).flatMap(values).flatMap { value in
            value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        }
        var seen: Set<String> = []
        roles = Array(texts.flatMap(Self.parts).filter { Self.isRole($0) && seen.insert($0).inserted }.prefix(Self.limit))
    }

    /// Returns the ARNs of a value. The form of SAML has two, of a role and of the provider that the role trusts.
    private static func parts(of text: String) -> [String] {
        let pieces = text.split(separator: ",arn:", omittingEmptySubsequences: false)
        return pieces.enumerated().map { $0 == 0 ? String($1) : "arn:\($1)" }
    }

    /// Returns whether a text is the ARN of a role: `arn:PARTITION:iam::ACCOUNT:role/PATH/NAME`.
    static func isRole(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard text.utf8.count <= 2048, parts.count == 6, parts[0] == "arn", parts[2] == "iam", parts[3].isEmpty else { return false }
        let partition = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard partition.first == "aws", partition.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }),
            parts[4].utf8.count == 12, parts[4].utf8.allSatisfy({ (0x30...0x39).contains($0) }), parts[5].hasPrefix("role/")
        else { return false }
        let path = parts[5].dropFirst("role/".count).split(separator: "/", omittingEmptySubsequences: false)
        return path.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isAllowed) } && (path.last?.utf8.count ?? 0) <= 64
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_+=,.@-".utf8.contains(byte)
        }
    }
}

extension ToolSession {
    /// Returns the AWS roles that the session's claims name. Throws `.configuration` if there are none.
    func roles() async throws(AuthFailure) -> [String] {
        let roles = RoleClaims(try await service.session(session.name).identity).roles
        guard !roles.isEmpty else {
            throw AuthFailure(
                .configuration, text: "the claims of \(session.name) name no AWS role",
                hint: "give one with --role-arn; the provider can name roles in the claim cognito:roles, roles or groups")
        }
        return roles
    }
}
