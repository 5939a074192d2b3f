internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// `yett inspect`: decodes and verifies tokens. Never prints a token itself.
struct InspectCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Decode and verify tokens: a session's, or one from standard input.",
        discussion: """
            A JWT from standard input is verified if its issuer is a configured provider; its keys are fetched if necessary. An opaque \
            token cannot be decoded: --provider asks the provider that issued it (RFC 7662). For a session's own opaque tokens, Yett asks \
            its provider, if that supports it. A token from standard input with a wrong signature is shown, and the exit status is 8.
            """)
    static let examples: KeyValuePairs = [
        "yett inspect work": "Shows and verifies the session's tokens.",
        "yett inspect - --provider work < token.txt": "Verifies a token from a file with the keys of a provider.",
    ]

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT; - reads a token from standard input.",
        completion: .names(.sessions))
    var session: String?

    @Option(
        help: ArgumentHelp("The provider that issued the token from standard input; the token may be sent to it.", valueName: "name"),
        completion: .names(.providers))
    var provider: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if provider != nil, session != "-" { throw ValidationError("--provider needs a token from standard input: yett inspect -") }
    }

    func run(in context: CommandContext) async throws {
        if session == "-" {
            let provider = try provider.map { text throws(AuthFailure) in try ProviderName(argument: text) }
            let service = try await context.service()
            let view = try await service.inspect(token(from: context), at: provider)
            if view.verification == .opaque {
                context.console.note("the token is opaque and cannot be decoded")
                context.console.hint("ask the provider that issued it: yett inspect - --provider NAME")
            }
            try context.answer(Inspection(session: nil, tokens: [view], now: context.now), asJSON: json)
            // Show the decoded token, but fail, because it must not be trusted.
            if case .refused(let reason) = view.verification {
                throw AuthFailure(.security, text: reason.english, hint: "do not trust its claims; request a new token")
            }
            return
        }
        let service = try await context.unlockedService()
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        let summary = try await service.only(name)
        let detail = try await service.session(summary.name)
        let tokens = try await service.tokens(of: summary.name)
        try context.answer(Inspection(session: detail, tokens: tokens, now: context.now), asJSON: json)
    }

    private func token(from context: CommandContext) async throws(AuthFailure) -> Secret {
        var line = await context.edges.streams.line()
        while let text = line, text.allSatisfy(\.isWhitespace) { line = await context.edges.streams.line() }
        guard let line, let token = line.split(separator: " ").last else {
            throw AuthFailure(
                .usage, text: "no token on standard input", hint: "for example: yett token SESSION --id-token | yett inspect -")
        }
        return Secret(token)
    }
}

/// The output of `yett inspect`: decoded tokens.
struct Inspection: Answer {
    /// The session that the tokens belong to; `nil` for a token from standard input.
    let session: SessionDetail?
    let tokens: [TokenView]
    let now: Timestamp

    var lines: [String] {
        let heading = session.map { detail in
            ["\(detail.summary.name): \(detail.userName) at \(detail.identity.issuer)"]
        }
        return (heading ?? []) + tokens.flatMap(lines)
    }

    func rows(on display: Display) -> [StyledText] {
        let heading = session.map { detail in
            StyledText(detail.summary.name.description, .title)
                + StyledText(": \(detail.userName) at ") + .address(detail.identity.issuer)
        }
        return [heading].compactMap(\.self) + tokens.flatMap { rows(of: $0, on: display) }
    }

    /// The same lines as without a terminal, the first one with a mark for the signature.
    private func rows(of token: TokenView, on display: Display) -> [StyledText] {
        let (mark, role): (StyledText, Role) =
            switch token.verification {
            case .verified: (display.good, .success)
            case .opaque: (display.neutral, .muted)
            case .unverified: (display.warning, .warning)
            case .refused: (display.bad, .danger)
            }
        let first =
            mark + StyledText(" \(token.kind.title)", .title) + StyledText(": \(token.redacted.english), ", .muted)
            + StyledText(token.verification.words, role)
        return first.folded(to: display.columns, indent: 2) + lines(of: token).dropFirst().map(row)
    }

    /// The claims that are times, in seconds.
    private static let times: Set = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    /// Returns a line with a claim's name in the colour of names, and with a time as people read it.
    private func row(_ line: String) -> StyledText {
        guard let end = line.firstRange(of: "\": "), line.trimmed.first == "\"" else { return StyledText(line) }
        let (name, value) = (String(line[..<end.upperBound]), String(line[end.upperBound...]))
        let row = StyledText(name, .muted) + StyledText(value)
        let claim = String(line[..<end.lowerBound].drop { $0 == " " }.dropFirst())
        guard Self.times.contains(claim), let seconds = Double(value.prefix { $0.isNumber }) else { return row }
        let time = Timestamp(seconds: seconds)
        return row + StyledText("  \(time.inShortLocalTime(at: now)), \(Words.relative(time, to: now))", .muted)
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
            ("userinfo", session?.identity.userInfo ?? .null),
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
