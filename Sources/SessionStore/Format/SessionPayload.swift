import AuthModel

/// The sealed part of a session.
struct SessionPayload {
    var tokens: TokenSet?
    var identity: Identity
    var clientID: String
    var extras: JSONValue
    var renewalFailures: RenewalFailures
    var formerClaims: [TokenView.Kind: JSONValue]
    var derivedCredentials: [DerivedCredential]

    init(_ record: SessionRecord) {
        tokens = record.tokens
        identity = record.identity
        clientID = record.clientID
        extras = record.extras
        renewalFailures = record.renewalFailures
        formerClaims = record.formerClaims
        derivedCredentials = record.derivedCredentials
    }

    func record(_ summary: SessionSummary) -> SessionRecord {
        var record = SessionRecord(summary: summary, tokens: tokens, identity: identity, clientID: clientID, extras: extras)
        record.renewalFailures = renewalFailures
        record.formerClaims = formerClaims
        record.derivedCredentials = derivedCredentials
        return record
    }

    /// The lowest version that has room for the contents, so that an older program can read what it knows.
    private var version: UInt8 {
        if !derivedCredentials.isEmpty { return 4 }
        if !formerClaims.isEmpty { return 3 }
        return renewalFailures == RenewalFailures() ? 1 : 2
    }

    func encoded() throws(StoreError) -> Secret {
        var writer = PayloadWriter(version: version)
        writer.flag(tokens != nil)
        if let tokens {
            writer.secret(tokens.accessToken)
            writer.text(tokens.tokenType)
            writer.optionalMoment(tokens.accessExpiresAt)
            writer.optionalSecret(tokens.refreshToken)
            writer.optionalMoment(tokens.refreshExpiresAt)
            writer.optionalSecret(tokens.idToken)
            writer.texts(tokens.scopes.values)
            writer.integer(tokens.receivedAt.milliseconds)
        }
        writer.text(identity.issuer)
        writer.text(identity.subject)
        try writer.json(identity.idTokenClaims)
        try writer.json(identity.userInfo)
        writer.text(clientID)
        try writer.json(extras)
        if version >= 2 {
            writer.integer(Int64(renewalFailures.lostResponses))
            writer.integer(Int64(renewalFailures.failures))
        }
        if version >= 3 {
            writer.integer(Int64(formerClaims.count))
            for kind in formerClaims.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                writer.text(kind.rawValue)
                try writer.json(formerClaims[kind] ?? .null)
            }
        }
        if version >= 4 {
            writer.integer(Int64(derivedCredentials.count))
            for credential in derivedCredentials {
                writer.text(credential.purpose)
                writer.secret(credential.secret)
                writer.integer(credential.usableUntil.milliseconds)
            }
        }
        return writer.finish()
    }

    init(_ secret: Secret) throws(StoreError) {
        var reader = try PayloadReader(secret, version: 1...4)
        if try reader.flag() {
            tokens = TokenSet(
                accessToken: try reader.secret(), tokenType: try reader.text(), accessExpiresAt: try reader.optionalMoment(),
                refreshToken: try reader.optionalSecret(), refreshExpiresAt: try reader.optionalMoment(),
                idToken: try reader.optionalSecret(), scopes: ScopeSet(try reader.texts()),
                receivedAt: Timestamp(milliseconds: try reader.integer()))
        }
        identity = Identity(
            issuer: try reader.text(), subject: try reader.text(), idTokenClaims: try reader.json(), userInfo: try reader.json())
        clientID = try reader.text()
        extras = try reader.json()
        renewalFailures =
            reader.version >= 2 ? RenewalFailures(lostResponses: try reader.count(), failures: try reader.count()) : RenewalFailures()
        formerClaims = [:]
        if reader.version >= 3 {
            for _ in 0..<(try reader.count()) {
                let kind = try reader.text()
                let claims = try reader.json()
                if let kind = TokenView.Kind(rawValue: kind) { formerClaims[kind] = claims }
            }
        }
        derivedCredentials = []
        if reader.version >= 4 {
            for _ in 0..<(try reader.count()) {
                derivedCredentials.append(
                    DerivedCredential(
                        purpose: try reader.text(), secret: try reader.secret(),
                        usableUntil: Timestamp(milliseconds: try reader.integer())))
            }
        }
        try reader.requireEnd()
    }
}

extension UserMessage {
    /// The message as one line of a column: its JSON, or a text that is the same in every language.
    var line: String { verbatimText ?? json.text }

    /// Reads a line. A text that is not a message is shown as it is, because older stores contain English texts.
    init(line: String) {
        let message = (try? JSONValue(strict: line)).flatMap(UserMessage.init(json:))
        // The columns are authenticated as they are written, so a line must not change when it is written again.
        self = message.flatMap { $0.line == line ? $0 : nil } ?? .verbatim(line)
    }
}
