import AuthModel
import Agent

extension FuzzedReader {
    /// A message of an oidc-agent client has the same end however its bytes arrive, and a request with a scope never becomes one without.
    static let oidcAgent = FuzzedReader(
        "oidc-agent",
        words: [
            "{", "}", "\"request\":", "\"access_token\"", "\"id_token\"", "\"account\":\"work\"", "\"issuer\":\"https://id.example.org/\"",
            "\"scope\":", "\"audience\":", "\"min_valid_period\":", "\"application_hint\":", "-1", "18446744073709551615", "\\u202e", ":",
            "25:", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "==", "\n", "\0",
        ]
    ) { (input) throws(BrokenProperty) in
        guard input.first == UInt8(ascii: "{") else { return try checkSealed(input) }
        guard case .plain(let bytes)? = try? message(in: input, pieces: input.count) else { return false }
        try BrokenProperty.unless((try? message(in: input, pieces: 1)) == .plain(bytes), "ends a message elsewhere if it arrives in pieces")
        guard case .token(let query)? = try? OIDCAgentRequest(bytes) else { return false }
        let document = try? JSONValue(strict: bytes)
        let scope = document?["scope"]?.string?.split(separator: " ").count ?? document?["scope"]?.array?.count ?? 0
        try BrokenProperty.unless((scope > 0) == !query.restrictions.scopes.isEmpty, "does not keep the scope")
        let audience = document?["audience"]?.string ?? ""
        try BrokenProperty.unless((query.restrictions.audience ?? "").utf8.elementsEqual(audience.utf8), "does not keep the audience")
        let application = query.application ?? ""
        try BrokenProperty.unless(
            application.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .format },
            "shows control characters")
        return true
    }

    /// A client's key in base64, before the encrypted message.
    private static let key = Array("hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=".utf8)

    private static func checkSealed(_ input: [UInt8]) throws(BrokenProperty) -> Bool {
        var reader = OIDCAgentMessageReader()
        do throws(OIDCAgentError) {
            try reader.append(key)
            _ = try reader.next()
            try reader.append(input)
            guard case .sealed(let message)? = try reader.next() else { return false }
            let again = try? OIDCAgentSealedMessage(wire: message.wire)
            if again == message { return true }
        } catch {
            return false
        }
        throw BrokenProperty("reads something else than it wrote")
    }

    /// Returns the first message of bytes that arrive in pieces of this size.
    private static func message(in input: [UInt8], pieces: Int) throws(OIDCAgentError) -> OIDCAgentMessageReader.Message? {
        var reader = OIDCAgentMessageReader()
        for start in stride(from: 0, to: input.count, by: pieces) {
            try reader.append(input[start..<min(start + pieces, input.count)])
            if let message = try reader.next() { return message }
        }
        return nil
    }
}
