internal import AuthModel

/// The names of AWS profiles: a text with `{account_name}`, `{account}` and `{role}`.
struct AWSProfilePattern {
    static let standard = "{account_name}.{role}"

    private enum Part {
        case text(String)
        case value(@Sendable (AccountRole) -> String)
    }

    private let parts: [Part]

    /// Parses a pattern. Throws `.usage` for an unknown field, and for text that the name of a profile cannot have.
    init(_ text: String) throws(AuthFailure) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            parts.append(.text(String(rest[..<open])))
            let name = rest[rest.index(after: open)...].prefix { $0 != "}" }
            switch name.endIndex == rest.endIndex ? "" : name {
            case "account_name": parts.append(.value { $0.accountName.isEmpty ? $0.account : $0.accountName })
            case "account": parts.append(.value(\.account))
            case "role": parts.append(.value(\.role))
            default:
                throw AuthFailure(
                    .usage, text: "the pattern has an unknown field {\(name)", hint: "use {account_name}, {account} and {role}")
            }
            rest = rest[name.endIndex...].dropFirst()
        }
        parts.append(.text(String(rest)))
        for case .text(let text) in parts where !text.isEmpty && !AWSSetup.isProfile("x" + text) {
            throw AuthFailure(.usage, text: "no profile has a name with '\(text)'", hint: "use letters, digits and . _ - @ +")
        }
        self.parts = parts
    }

    /// Returns the names of the profiles of roles. Throws `.usage` if two have the same name, or if a name is that of the default profile.
    func names(of roles: [AccountRole]) throws(AuthFailure) -> [(name: String, role: AccountRole)] {
        var owners: [String: AccountRole] = [:]
        var names: [(name: String, role: AccountRole)] = []
        for role in roles {
            let name = name(of: role)
            let hint = "choose other names with --pattern, such as: --pattern '{account}.{role}'"
            guard AWSSetup.isProfile(name), name != "default" else {
                throw AuthFailure(.usage, text: "the pattern gives \(role.text) no name of its own: '\(name)'", hint: hint)
            }
            if let other = owners.updateValue(role, forKey: name) {
                throw AuthFailure(.usage, text: "the pattern gives \(other.text) and \(role.text) the same name: \(name)", hint: hint)
            }
            names.append((name, role))
        }
        return names
    }

    /// Returns the name for a role. The account is named by others, and the name goes through shells, such as in their completion of
    /// `--profile`: what is neither a letter, a digit nor harmless there becomes a hyphen.
    private func name(of role: AccountRole) -> String {
        let name = parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let value): String(value(role).unicodeScalars.map { Self.isHarmless($0) ? Character($0) : "-" })
            }
        }
        return String(name.joined().drop { $0 == "-" })
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "@", "+", "/", ",": true
        default: false
        }
    }
}

extension AccountRole {
    /// Whether a text such as `production/*` names the role, with the account's number or its name.
    func isNamed(_ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        return [text, "\(accountName)/\(role)"].contains { name in
            guard pieces.count > 1, let first = pieces.first, let last = pieces.last else { return name.hasSameBytes(as: pattern) }
            guard name.utf8.count >= first.utf8.count + last.utf8.count, name.hasPrefix(first), name.hasSuffix(last) else { return false }
            var rest = name.dropFirst(first.count).dropLast(last.count)
            for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
                guard let found = rest.firstRange(of: piece) else { return false }
                rest = rest[found.upperBound...]
            }
            return true
        }
    }
}
