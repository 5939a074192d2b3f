import Crypto

/// A status of CTAP that is an error.
struct KeyStatus: Error {
    var code: UInt8

    static let invalidCommand = KeyStatus(code: 0x01)
    static let missingParameter = KeyStatus(code: 0x14)
    static let unsupportedOption = KeyStatus(code: 0x2B)
    static let noCredentials = KeyStatus(code: 0x2E)
    static let pinInvalid = KeyStatus(code: 0x31)
    static let pinBlocked = KeyStatus(code: 0x32)
    static let pinAuthInvalid = KeyStatus(code: 0x33)
    static let pinAuthBlocked = KeyStatus(code: 0x34)
    static let pinNotSet = KeyStatus(code: 0x35)
    static let pinRequired = KeyStatus(code: 0x36)
}

/// The commands of CTAP 2.1, section 6.
extension SoftwareKey.State {
    mutating func answer(to command: UInt8, _ parameters: CBOR) throws(KeyStatus) -> CBOR? {
        if let failure = behaviour.failure, command != 0x04 { throw KeyStatus(code: failure) }
        switch command {
        case 0x01: return try makeCredential(parameters)
        case 0x02: return try assertion(parameters)
        case 0x04: return information
        case 0x06: return try answerAboutPIN(parameters)
        default: throw .invalidCommand
        }
    }

    private var information: CBOR {
        .object(
            (.integer(1), .array([.text("FIDO_2_0")])),
            (.integer(2), .array(behaviour.hasSecrets ? [.text("hmac-secret")] : [.text("credProtect")])),
            (.integer(3), .bytes([UInt8](repeating: 0, count: 16))),
            (
                .integer(4),
                .object((.text("rk"), .bool(false)), (.text("up"), .bool(true)), (.text("clientPin"), .bool(behaviour.pin != nil)))
            ),
            (.integer(5), .integer(1200)), (.integer(6), .array(behaviour.protocols.map(CBOR.integer))))
    }

    private mutating func answerAboutPIN(_ parameters: CBOR) throws(KeyStatus) -> CBOR {
        switch parameters[2]?.integer {
        case 1: return .object((.integer(3), .integer(tries)))
        case 2: return .object((.integer(1), Self.key(agreement.publicKey.x963Representation, algorithm: -25)))
        case 5: return try token(parameters)
        default: throw .invalidCommand
        }
    }

    /// Returns the encrypted token for the right PIN. Counts wrong ones as a key does.
    private mutating func token(_ parameters: CBOR) throws(KeyStatus) -> CBOR {
        guard let version = parameters[1]?.integer, let other = parameters[3], let box = parameters[6]?.bytes,
            let channel = PINProtocol(version: version, own: agreement, other: other)
        else { throw .missingParameter }
        guard let pin = behaviour.pin else { throw .pinNotSet }
        guard tries > 0 else { throw .pinBlocked }
        guard wrongInARow < 3 else { throw .pinAuthBlocked }
        pins += 1
        tries -= 1
        guard channel.decrypt(box) == Array(SHA256.hash(data: Array(pin.utf8)).prefix(16)) else {
            agreement = P256.KeyAgreement.PrivateKey()
            wrongInARow += 1
            if tries == 0 { throw .pinBlocked }
            throw wrongInARow == 3 ? .pinAuthBlocked : .pinInvalid
        }
        (tries, wrongInARow) = (8, 0)
        guard let encrypted = channel.encrypt(token) else { throw .missingParameter }
        return .object((.integer(2), .bytes(encrypted)))
    }

    private mutating func makeCredential(_ parameters: CBOR) throws(KeyStatus) -> CBOR {
        guard let hash = parameters[1]?.bytes, case .text(let relyingParty)? = parameters[2]?["id"], parameters[3]?["id"]?.bytes != nil,
            parameters[4]?.array?.first?["alg"]?.integer == -7, parameters[7]?["rk"]?.bool != true
        else { throw .missingParameter }
        let isVerified = try isVerified(hash, code: parameters[8], version: parameters[9])
        // A key with a PIN makes no credential without it.
        guard isVerified || behaviour.pin == nil else { throw .pinRequired }
        try touch()
        let identifier = SoftwareKey.random(48)
        let new = SoftwareKey.Credential(
            relyingParty: relyingParty, signer: P256.Signing.PrivateKey(), secrets: [SoftwareKey.random(32), SoftwareKey.random(32)])
        credentials[identifier] = new
        let wantsSecret = parameters[6]?["hmac-secret"]?.bool == true && behaviour.hasSecrets
        var data = Self.head(relyingParty, flags: 0x41 | (isVerified ? 0x04 : 0) | (wantsSecret ? 0x80 : 0))
        data += [UInt8](repeating: 0, count: 16) + [0, UInt8(identifier.count)] + identifier
        data += Self.key(new.signer.publicKey.x963Representation, algorithm: -7).encoded
        if wantsSecret { data += CBOR.object((.text("hmac-secret"), .bool(true))).encoded }
        return .object((.integer(1), .text("none")), (.integer(2), .bytes(data)), (.integer(3), .map([])))
    }

    private mutating func assertion(_ parameters: CBOR) throws(KeyStatus) -> CBOR {
        guard case .text(let relyingParty)? = parameters[1], let hash = parameters[2]?.bytes, let allowed = parameters[3]?.array else {
            throw .missingParameter
        }
        let isVerified = try isVerified(hash, code: parameters[6], version: parameters[7])
        let isTouchWanted = parameters[5]?["up"]?.bool ?? true
        guard isTouchWanted || !behaviour.alwaysWantsTouch else { throw .unsupportedOption }
        guard let identifier = allowed.compactMap({ $0["id"]?.bytes }).first(where: { credentials[$0]?.relyingParty == relyingParty }),
            let credential = credentials[identifier]
        else { throw .noCredentials }
        if isTouchWanted { try touch() }
        var extensions: [UInt8] = []
        if isTouchWanted, behaviour.hasSecrets, let request = parameters[4]?["hmac-secret"] {
            guard let other = request[1], let box = request[2]?.bytes, let code = request[3]?.bytes,
                let channel = PINProtocol(version: request[4]?.integer ?? 1, own: agreement, other: other),
                channel.isValid(code, for: box), let salt = channel.decrypt(box), salt.count == 32
            else { throw .missingParameter }
            let key = SymmetricKey(data: credential.secrets[isVerified ? 1 : 0])
            guard let secret = channel.encrypt(Array(HMAC<SHA256>.authenticationCode(for: salt, using: key))) else {
                throw .missingParameter
            }
            extensions = CBOR.object((.text("hmac-secret"), .bytes(secret))).encoded
        }
        let flags: UInt8 = (isTouchWanted ? 0x01 : 0) | (isVerified ? 0x04 : 0) | (extensions.isEmpty ? 0 : 0x80)
        let data = Self.head(relyingParty, flags: flags) + extensions
        guard let signature = try? credential.signer.signature(for: data + hash) else { throw .missingParameter }
        return .object(
            (.integer(1), .object((.text("id"), .bytes(identifier)), (.text("type"), .text("public-key")))),
            (.integer(2), .bytes(data)), (.integer(3), .bytes(Array(signature.derRepresentation))))
    }

    /// Whether a PIN was entered for the request.
    private func isVerified(_ hash: [UInt8], code: CBOR?, version: CBOR?) throws(KeyStatus) -> Bool {
        guard let code = code?.bytes else { return false }
        guard let version = version?.integer, PINProtocol.isValid(code, for: hash, token: token, version: version) else {
            throw .pinAuthInvalid
        }
        return true
    }

    private mutating func touch() throws(KeyStatus) {
        guard behaviour.isTouched else { throw KeyStatus(code: behaviour.untouched) }
        touches += 1
        behaviour.whenTouched?()
    }

    private static func head(_ relyingParty: String, flags: UInt8) -> [UInt8] {
        Array(SHA256.hash(data: Array(relyingParty.utf8))) + [flags, 0, 0, 0, 1]
    }

    /// Returns a public key as COSE writes it (RFC 9053, 7.1.1).
    private static func key(_ point: some Sequence<UInt8>, algorithm: Int) -> CBOR {
        let bytes = Array(point)
        return .object(
            (.integer(1), .integer(2)), (.integer(3), .integer(algorithm)), (.integer(-1), .integer(1)),
            (.integer(-2), .bytes(Array(bytes[1..<33]))), (.integer(-3), .bytes(Array(bytes[33...]))))
    }
}
