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

/// Encodes a payload: fields one after the other, each with its length. Token bytes are copied directly from their ``Secret`` into the
/// resulting one, and leave no other copy.
struct PayloadWriter {
    private enum Field {
        case bytes([UInt8])
        case secret(Secret)
    }

    private var fields: [Field]

    init(version: UInt8) { fields = [.bytes([version])] }

    mutating func integer(_ number: Int64) { withUnsafeBytes(of: number.bigEndian) { fields.append(.bytes(Array($0))) } }
    mutating func flag(_ value: Bool) { fields.append(.bytes([value ? 1 : 0])) }

    mutating func secret(_ secret: Secret) {
        integer(Int64(secret.count))
        fields.append(.secret(secret))
    }

    mutating func text(_ text: String) {
        integer(Int64(text.utf8.count))
        fields.append(.bytes(Array(text.utf8)))
    }

    mutating func texts(_ texts: [String]) {
        integer(Int64(texts.count))
        for text in texts { self.text(text) }
    }

    mutating func optionalSecret(_ secret: Secret?) {
        flag(secret != nil)
        if let secret { self.secret(secret) }
    }

    mutating func optionalText(_ text: String?) {
        flag(text != nil)
        if let text { self.text(text) }
    }

    mutating func optionalMoment(_ moment: Timestamp?) {
        flag(moment != nil)
        if let moment { integer(moment.milliseconds) }
    }

    /// Appends a JSON document. Throws if the document could not be read back, because the session would be lost with it.
    mutating func json(_ value: JSONValue) throws(StoreError) {
        let text = value.text
        guard let again = try? JSONValue(strict: text, limits: PayloadReader.limits), again == value else {
            throw StoreError(.invalid(UserMessage("store.cannot_store_json")))
        }
        self.text(text)
    }

    func finish() -> Secret {
        let count = fields.reduce(0) { sum, field in
            switch field {
            case .bytes(let bytes): sum + bytes.count
            case .secret(let secret): sum + secret.count
            }
        }
        var payload: [UInt8] = []
        // Reserve the full size, so that growing leaves no shorter copy in freed memory.
        payload.reserveCapacity(count)
        for field in fields {
            switch field {
            case .bytes(let bytes): payload.append(contentsOf: bytes)
            case .secret(let secret): secret.withBytes { payload.append(contentsOf: $0) }
            }
        }
        defer { payload.zeroize() }
        return Secret(bytes: payload)
    }
}

/// Decodes a payload in the order in which it was written. The payload was authenticated, but invalid data is refused nevertheless.
struct PayloadReader {
    /// Claims come from responses that are limited to 1 MB; escaping can make them six times as long.
    static let limits = JSONValue.Limits(bytes: 8 << 20, depth: 64, values: .max)

    /// The version in which the payload was written.
    let version: UInt8
    private let payload: Secret
    private var position = 1

    /// Reads the version.
    ///
    /// - Parameter versions: the supported versions.
    init(_ secret: Secret, version versions: ClosedRange<UInt8>) throws(StoreError) {
        guard let first = secret.withBytes({ $0.first }) else { throw StoreError(.altered) }
        guard first <= versions.upperBound else { throw StoreError(.newerFormat) }
        guard first >= versions.lowerBound else { throw StoreError(.altered) }
        version = first
        payload = secret
    }

    private mutating func next<Result>(_ count: Int, _ read: (UnsafeRawBufferPointer.SubSequence) -> Result) throws(StoreError) -> Result {
        guard count >= 0, count <= payload.count - position else { throw StoreError(.altered) }
        defer { position += count }
        return payload.withBytes { read($0[position..<position + count]) }
    }

    mutating func integer() throws(StoreError) -> Int64 {
        try next(8) { bytes in Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }) }
    }

    mutating func flag() throws(StoreError) -> Bool { try next(1) { $0.first } != 0 }

    mutating func count() throws(StoreError) -> Int {
        guard let count = Int(exactly: try integer()), count >= 0 else { throw StoreError(.altered) }
        return count
    }

    mutating func secret() throws(StoreError) -> Secret { try next(try count()) { Secret(bytes: $0) } }

    mutating func text() throws(StoreError) -> String {
        guard let text = try next(try count(), { String(validating: $0, as: UTF8.self) }) else { throw StoreError(.altered) }
        return text
    }

    mutating func texts() throws(StoreError) -> [String] {
        let count = try count()
        guard count >= 0, count <= payload.count else { throw StoreError(.altered) }
        var texts: [String] = []
        for _ in 0..<count { texts.append(try text()) }
        return texts
    }

    mutating func optionalSecret() throws(StoreError) -> Secret? { try flag() ? try secret() : nil }
    mutating func optionalText() throws(StoreError) -> String? { try flag() ? try text() : nil }
    mutating func optionalMoment() throws(StoreError) -> Timestamp? { try flag() ? Timestamp(milliseconds: try integer()) : nil }

    mutating func json() throws(StoreError) -> JSONValue {
        guard let value = try? JSONValue(strict: try text(), limits: Self.limits) else { throw StoreError(.altered) }
        return value
    }

    /// Throws if there are unread bytes.
    func requireEnd() throws(StoreError) {
        guard position == payload.count else { throw StoreError(.altered) }
    }
}
