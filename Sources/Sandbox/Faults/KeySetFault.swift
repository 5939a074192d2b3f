import AuthModel

/// A fault in the key set. See ``summary`` for each case.
public enum KeySetFault: String, Sendable, CaseIterable {
    case noKeys = "no-keys"
    case keysMissing = "keys-missing"
    case keysObject = "keys-object"
    case symmetric = "symmetric"
    case duplicateIdentifiers = "duplicate-kid"
    case damaged = "damaged"
    case withoutIdentifiers = "without-kid"
    case otherKeys = "other-keys"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .noKeys: "keys is an empty array"
        case .keysMissing: "keys is missing"
        case .keysObject: "keys is an object"
        case .symmetric: "the first key is a symmetric key, which is public here"
        case .duplicateIdentifiers: "every key has the same kid, which no token names"
        case .damaged: "every key has numbers that are not base64url"
        case .withoutIdentifiers: "no key has a kid, although tokens name one"
        case .otherKeys: "only keys that do not sign anything here"
        }
    }

    /// Returns the key set with this fault.
    func apply(_ document: JSONValue) -> JSONValue {
        let keys = document["keys"]?.array ?? []
        func with(_ keys: [JSONValue]) -> JSONValue { document.setting("keys", .array(keys)) }
        switch self {
        case .noKeys: return with([])
        case .keysMissing: return document.removing("keys")
        case .keysObject: return document.setting("keys", [:])
        case .symmetric:
            let key: JSONValue = [
                "kty": "oct", "kid": .string(KeyRing.publishedSecretID), "alg": "HS256", "k": .string(Base64.url(KeyRing.publishedSecret)),
            ]
            return with([key] + keys)
        case .duplicateIdentifiers: return with(keys.map { $0.setting("kid", "same") })
        case .damaged: return with(keys.map { key in ["n", "x"].reduce(key) { $0.appending("=+/", to: $1) } })
        case .withoutIdentifiers: return with(keys.map { $0.removing("kid") })
        case .otherKeys: return with(keys.filter { $0["use"]?.string == "enc" })
        }
    }
}
