import AuthModel

/// The sealed part of a session.
struct SessionPayload {
    var tokens: TokenSet?
    var identity: Identity
    var clientID: String
    var extras: JSONValue
    var renewalFailures: RenewalFailures

    init(_ record: SessionRecord) {
        tokens = record.tokens
        identity = record.identity
        clientID = record.clientID
        extras = record.extras
        renewalFailures = record.renewalFailures
    }

    func record(_ summary: SessionSummary) -> SessionRecord {
        var record = SessionRecord(summary: summary, tokens: tokens, identity: identity, clientID: clientID, extras: extras)
        record.renewalFailures = renewalFailures
        return record
    }

    func encoded() throws(StoreError) -> Secret {
        // Write version 1 if there is nothing new, so that an older program can read it.
        var writer = PayloadWriter(version: renewalFailures == RenewalFailures() ? 1 : 2)
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
        if renewalFailures != RenewalFailures() {
            writer.integer(Int64(renewalFailures.lostResponses))
            writer.integer(Int64(renewalFailures.failures))
        }
        return writer.finish()
    }

    init(_ secret: Secret) throws(StoreError) {
        var reader = try PayloadReader(secret, version: 1...2)
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
        try reader.end()
    }
}
