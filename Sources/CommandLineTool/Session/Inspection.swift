internal import AuthModel
internal import Localization

/// The output of `yett inspect`: decoded tokens.
struct Inspection: Answer {
    /// The session that the tokens belong to; `nil` for a token from standard input.
    let session: SessionDetail?
    let tokens: [TokenView]
    let now: Timestamp

    var lines: [String] {
        let heading = session.map { detail in
            ["\(detail.summary.name): \(detail.identity.displayName ?? detail.identity.defaultLabel) at \(detail.identity.issuer)"]
        }
        return (heading ?? []) + tokens.flatMap(lines)
    }

    private func lines(of token: TokenView) -> [String] {
        var lines = ["\(token.kind.title): \(token.redacted.english), \(token.verification.words)"]
        if let end = token.expiresAt {
            lines.append("  expires: \(end.inLocalTime) (\(end <= now ? "expired" : "in " + (end - now).formatted))")
        }
        for (title, part) in [("header", token.header), ("claims", token.claims)] {
            guard let part else { continue }
            lines.append("  \(title):")
            lines += part.indentedText.split(separator: "\n").map { "    " + $0 }
        }
        return lines
    }

    var json: JSONValue {
        .answer(
            ("session", JSONValue(session?.summary.name.description)),
            ("client_id", JSONValue(session?.clientID)),
            ("tokens", .array(tokens.map(object))))
    }

    private func object(_ token: TokenView) -> JSONValue {
        let (isVerified, algorithm, keyID, reason): (Bool, String?, String?, String?) =
            switch token.verification {
            case .opaque: (false, nil, nil, "opaque")
            case .verified(let algorithm, let keyID): (true, algorithm, keyID, nil)
            case .unverified(let reason), .refused(let reason): (false, nil, nil, reason.english)
            }
        return .members(
            ("kind", .string(token.kind.rawValue)), ("redacted", .string(token.redacted.english)),
            ("expires_at", JSONValue(token.expiresAt)),
            ("verified", .bool(isVerified)), ("algorithm", JSONValue(algorithm)), ("key_id", JSONValue(keyID)),
            ("reason", JSONValue(reason)), ("header", token.header ?? .null), ("claims", token.claims ?? .null))
    }
}

extension TokenView.Kind {
    fileprivate var title: String {
        switch self {
        case .access: "access token"
        case .refresh: "refresh token"
        case .id: "ID token"
        }
    }
}

extension TokenView.Verification {
    fileprivate var words: String {
        switch self {
        case .opaque: "opaque"
        case .verified(let algorithm, let keyID): "verified with \(algorithm)" + (keyID.map { ", key \($0)" } ?? "")
        case .unverified(let reason), .refused(let reason): "not verified: \(reason.english)"
        }
    }
}
