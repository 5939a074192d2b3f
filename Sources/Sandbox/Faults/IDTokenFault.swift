import AuthModel

/// A fault in an ID token. See ``summary`` for each case.
public enum IDTokenFault: String, Sendable, CaseIterable {
    case algorithmNone = "alg-none"
    case algorithmNoneCapital = "alg-none-capital"
    case algorithmNoneMixed = "alg-none-mixed-case"
    case algorithmEmpty = "alg-empty"
    case algorithmMissing = "alg-missing"
    case algorithmUnadvertised = "alg-unadvertised"
    case hmacWithPublicKey = "hs256-public-key"
    case hmacWithPublishedKey = "hs256-published-key"
    case signatureWrong = "signature-wrong"
    case signatureMissing = "signature-missing"
    case twoParts = "two-parts"
    case fiveParts = "five-parts"
    case padded = "padded"
    case notAToken = "not-a-jwt"
    case keyIdentifierWrong = "kid-wrong"
    case keyIdentifierUnknown = "kid-unknown"
    case keyIdentifierMissing = "kid-missing"
    case keyOther = "key-other"
    case keyForEncryption = "key-use-enc"
    case keyInHeader = "header-jwk"
    case keyURLInHeader = "header-jku"
    case certificateURLInHeader = "header-x5u"
    case critical = "header-crit"
    case algorithmTwice = "header-alg-twice"
    case typeLogout = "typ-logout"
    case typeAccessToken = "typ-access-token"
    case issuerWrong = "iss-wrong"
    case issuerMissing = "iss-missing"
    case issuerTrailingSlash = "iss-trailing-slash"
    case issuerTwice = "iss-twice"
    case audienceWrong = "aud-wrong"
    case audienceMissing = "aud-missing"
    case audienceEmpty = "aud-empty"
    case audienceArray = "aud-array"
    case audienceExtra = "aud-extra"
    case audienceExtraWithParty = "aud-extra-with-azp"
    case partyOther = "azp-other"
    case expired = "exp-past"
    case expiryMissing = "exp-missing"
    case expiryWord = "exp-word"
    case expiryDigits = "exp-digits"
    case expiryHuge = "exp-huge"
    case issuedMissing = "iat-missing"
    case issuedInFuture = "iat-future"
    case issuedLongAgo = "iat-week-old"
    case issuedWord = "iat-word"
    case notBeforeFuture = "nbf-future"
    case nonceMissing = "nonce-missing"
    case nonceWrong = "nonce-wrong"
    case nonceNumber = "nonce-number"
    case accessTokenHashWrong = "at-hash-wrong"
    case accessTokenHashMissing = "at-hash-missing"
    case authenticationTimeMissing = "auth-time-missing"
    case authenticationTimeOld = "auth-time-old"
    case authenticationClassMissing = "acr-missing"
    case authenticationClassOther = "acr-other"
    case subjectMissing = "sub-missing"
    case subjectEmpty = "sub-empty"
    case subjectNumber = "sub-number"
    case subjectOther = "sub-other"
    case subjectLong = "sub-long"
    case payloadArray = "payload-array"
    case payloadText = "payload-text"
    case payloadNotJSON = "payload-not-json"
    case hostileNames = "hostile-names"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .algorithmNone: "alg is none, the signature empty"
        case .algorithmNoneCapital: "alg is None, the signature empty"
        case .algorithmNoneMixed: "alg is nOnE, the signature empty"
        case .algorithmEmpty: "alg is empty, and so is the signature"
        case .algorithmMissing: "alg is missing"
        case .algorithmUnadvertised: "PS256 with the published RSA key, which metadata does not offer"
        case .hmacWithPublicKey: "HS256 keyed with the PEM of the public RSA key"
        case .hmacWithPublishedKey: "HS256 keyed with the key that keys-symmetric publishes"
        case .signatureWrong: "every byte of the signature is changed"
        case .signatureMissing: "the signature is empty"
        case .twoParts: "only header and claims"
        case .fiveParts: "five parts, like an encrypted token"
        case .padded: "base64url with padding"
        case .notAToken: "text that is not a JWT"
        case .keyIdentifierWrong: "kid is another published key's"
        case .keyIdentifierUnknown: "kid is in no key set"
        case .keyIdentifierMissing: "kid is missing, which is allowed"
        case .keyOther: "signed by a key that was never published, with the right kid"
        case .keyForEncryption: "signed with the key whose use is enc"
        case .keyInHeader: "signed with an unpublished key that is in the header"
        case .keyURLInHeader: "signed with an unpublished key; the header names its key set"
        case .certificateURLInHeader: "signed with an unpublished key; the header names its certificate"
        case .critical: "crit names an unknown extension"
        case .algorithmTwice: "alg appears twice in the header"
        case .typeLogout: "typ is logout+jwt"
        case .typeAccessToken: "typ is at+jwt"
        case .issuerWrong: "iss has 1 appended"
        case .issuerMissing: "iss is missing"
        case .issuerTrailingSlash: "iss has a slash appended"
        case .issuerTwice: "iss appears twice in the claims"
        case .audienceWrong: "aud has 1 appended"
        case .audienceMissing: "aud is missing"
        case .audienceEmpty: "aud is an empty array"
        case .audienceArray: "aud is an array of the one client, which is allowed"
        case .audienceExtra: "aud also names another client, without azp"
        case .audienceExtraWithParty: "aud also names another client, and azp is the right one"
        case .partyOther: "azp is another client"
        case .expired: "exp was six minutes ago"
        case .expiryMissing: "exp is missing"
        case .expiryWord: "exp is tomorrow, in letters"
        case .expiryDigits: "exp is digits in quotes"
        case .expiryHuge: "exp is 1e300"
        case .issuedMissing: "iat is missing"
        case .issuedInFuture: "iat is an hour ahead"
        case .issuedLongAgo: "iat was a week ago"
        case .issuedWord: "iat is a word"
        case .notBeforeFuture: "nbf is an hour ahead"
        case .nonceMissing: "nonce is missing"
        case .nonceWrong: "nonce has 1 appended"
        case .nonceNumber: "nonce is a number"
        case .accessTokenHashWrong: "at_hash has 1 appended"
        case .accessTokenHashMissing: "at_hash is missing, which is allowed"
        case .authenticationTimeMissing: "auth_time is missing"
        case .authenticationTimeOld: "auth_time was a day ago"
        case .authenticationClassMissing: "acr is missing"
        case .authenticationClassOther: "acr is 0, regardless of the request"
        case .subjectMissing: "sub is missing"
        case .subjectEmpty: "sub is empty"
        case .subjectNumber: "sub is a number"
        case .subjectOther: "sub is another user's"
        case .subjectLong: "sub has 10,000 characters"
        case .payloadArray: "the payload is an array"
        case .payloadText: "the payload is a JSON text"
        case .payloadNotJSON: "the payload is not JSON"
        case .hostileNames: "name and email contain controls, markup and bidirectional overrides"
        }
    }

    /// Returns the draft with this fault.
    ///
    /// - Parameter elsewhere: a URL that a client must not request.
    func apply(_ honest: TokenDraft, now: Timestamp, keys: KeyRing, elsewhere: String) -> TokenDraft {
        var draft = honest
        guard case .own(let algorithm) = honest.signer else { return honest }
        applyToHeader(of: &draft, algorithm: algorithm, keys: keys, elsewhere: elsewhere)
        applyToText(of: &draft)
        draft.claims = apply(claims: draft.claims, now: now)
        return draft
    }

    private func applyToHeader(
        of draft: inout TokenDraft, algorithm: SandboxConfiguration.SigningAlgorithm, keys: KeyRing, elsewhere: String
    ) {
        func unsigned(_ name: String) {
            draft.header = draft.header.setting("alg", .string(name))
            draft.signer = .unsigned
        }
        func hmac(_ signer: TokenDraft.Signer, kid: String?) {
            draft.header = draft.header.setting("alg", "HS256")
            if let kid { draft.header = draft.header.setting("kid", .string(kid)) }
            draft.signer = signer
        }
        func signedWithUnpublishedKey(_ name: String, _ value: JSONValue) {
            draft.header = draft.header.setting(name, value).setting("kid", "stranger")
            draft.signer = .unpublishedKey(algorithm)
        }
        switch self {
        case .algorithmNone: unsigned("none")
        case .algorithmNoneCapital: unsigned("None")
        case .algorithmNoneMixed: unsigned("nOnE")
        case .algorithmEmpty: unsigned("")
        case .algorithmMissing: draft.header = draft.header.removing("alg")
        case .algorithmUnadvertised:
            draft.header = draft.header.setting("alg", "PS256").setting("kid", .string(keys.identifier(.rs256)))
            draft.signer = .ownPSS
        case .hmacWithPublicKey: hmac(.hmacWithPublicKey, kid: keys.identifier(.rs256))
        case .hmacWithPublishedKey: hmac(.hmacWithPublishedKey, kid: KeyRing.publishedSecretID)
        case .keyIdentifierWrong:
            draft.header = draft.header.setting("kid", .string(keys.identifier(algorithm == .es256 ? .rs256 : .es256)))
        case .keyIdentifierUnknown: draft.header = draft.header.setting("kid", "nobody-knows-this-key")
        case .keyIdentifierMissing: draft.header = draft.header.removing("kid")
        case .keyOther: draft.signer = .unpublishedKey(algorithm)
        case .keyForEncryption:
            draft.header = draft.header.setting("alg", "ES256").setting("kid", .string(keys.encryptionIdentifier))
            draft.signer = .encryptionKey
        case .keyInHeader: signedWithUnpublishedKey("jwk", (try? keys.unpublishedKey(algorithm)) ?? .null)
        case .keyURLInHeader: signedWithUnpublishedKey("jku", .string(elsewhere))
        case .certificateURLInHeader: signedWithUnpublishedKey("x5u", .string(elsewhere))
        case .critical: draft.header = draft.header.setting("crit", ["x-gate"]).setting("x-gate", true)
        case .algorithmTwice: draft.headerText = #"{"alg":"none","# + draft.header.text.dropFirst()
        case .typeLogout: draft.header = draft.header.setting("typ", "logout+jwt")
        case .typeAccessToken: draft.header = draft.header.setting("typ", "at+jwt")
        default: break
        }
    }

    private func applyToText(of draft: inout TokenDraft) {
        switch self {
        case .signatureWrong: draft.finish = .signatureXored
        case .signatureMissing: draft.finish = .signatureCut
        case .twoParts: draft.finish = .twoParts
        case .fiveParts: draft.finish = .fiveParts
        case .padded: draft.finish = .padded
        case .notAToken: draft.finish = .replaced("not a token")
        case .issuerTwice: draft.payload = #"{"iss":"https://other.example","# + draft.claims.text.dropFirst()
        case .payloadArray: draft.payload = "[\(draft.claims.text)]"
        case .payloadText: draft.payload = JSONValue.string("sub").text
        case .payloadNotJSON: draft.payload = String(draft.claims.text.dropLast())
        default: break
        }
    }

    private func apply(claims: JSONValue, now: Timestamp) -> JSONValue {
        let audience = claims["aud"] ?? .null
        let hour: Int64 = 3600
        switch self {
        case .issuerWrong: return claims.appending("1", to: "iss")
        case .issuerMissing: return claims.removing("iss")
        case .issuerTrailingSlash: return claims.appending("/", to: "iss")
        case .audienceWrong: return claims.appending("1", to: "aud")
        case .audienceMissing: return claims.removing("aud")
        case .audienceEmpty: return claims.setting("aud", [])
        case .audienceArray: return claims.setting("aud", .array([audience]))
        case .audienceExtra: return claims.setting("aud", .array([audience, "somebody-else"])).removing("azp")
        case .audienceExtraWithParty: return claims.setting("aud", .array([audience, "somebody-else"])).setting("azp", audience)
        case .partyOther: return claims.setting("azp", "somebody-else")
        case .expired: return claims.setting("iat", .number(now.seconds - 720)).setting("exp", .number(now.seconds - 360))
        case .expiryMissing: return claims.removing("exp")
        case .expiryWord: return claims.setting("exp", "tomorrow")
        case .expiryDigits: return claims.setting("exp", .string(String(now.seconds + 300)))
        case .expiryHuge: return claims.setting("exp", .number("1e300"))
        case .issuedMissing: return claims.removing("iat")
        case .issuedInFuture: return claims.adding(hour, to: "iat").adding(hour, to: "exp")
        case .issuedLongAgo: return claims.adding(-7 * 24 * hour, to: "iat")
        case .issuedWord: return claims.setting("iat", "yesterday")
        case .notBeforeFuture: return claims.setting("nbf", .number(now.seconds + hour)).adding(2 * hour, to: "exp")
        case .nonceMissing: return claims.removing("nonce")
        case .nonceWrong: return claims.appending("1", to: "nonce")
        case .nonceNumber: return claims.setting("nonce", 42)
        case .accessTokenHashWrong: return claims.appending("1", to: "at_hash")
        case .accessTokenHashMissing: return claims.removing("at_hash")
        case .authenticationTimeMissing: return claims.removing("auth_time")
        case .authenticationTimeOld: return claims.setting("auth_time", .number(now.seconds - 24 * hour))
        case .authenticationClassMissing: return claims.removing("acr")
        case .authenticationClassOther: return claims.setting("acr", "0")
        case .subjectMissing: return claims.removing("sub")
        case .subjectEmpty: return claims.setting("sub", "")
        case .subjectNumber: return claims.setting("sub", 42)
        case .subjectOther: return claims.appending("-other", to: "sub")
        case .subjectLong: return claims.setting("sub", .string(String(repeating: "s", count: 10_000)))
        case .hostileNames:
            return claims.setting("name", .string(HostileText.all)).setting("email", .string("\u{1B}[31m" + HostileText.all))
                .setting("preferred_username", .string(HostileText.all))
        default: return claims
        }
    }
}
