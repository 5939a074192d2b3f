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
    public var summary: String { effect.summary }

    /// Returns the draft with this fault.
    ///
    /// - Parameter elsewhere: a URL that a client must not request.
    func apply(_ honest: TokenDraft, now: Timestamp, keys: KeyRing, elsewhere: String) -> TokenDraft {
        guard case .own(let algorithm) = honest.signer else { return honest }
        return effect.apply(Subject(draft: honest, algorithm: algorithm, now: now.seconds, keys: keys, elsewhere: elsewhere)).draft
    }

    /// A draft, and what the effects depend on.
    fileprivate struct Subject {
        var draft: TokenDraft
        let algorithm: SandboxConfiguration.SigningAlgorithm
        /// The time in seconds since 1970.
        let now: Int64
        let keys: KeyRing
        let elsewhere: String
    }

    private static let hour: Int64 = 3600

    private var effect: FaultEffect<Subject> {
        switch self {
        case .algorithmNone: .unsigned("none", "alg is none, the signature empty")
        case .algorithmNoneCapital: .unsigned("None", "alg is None, the signature empty")
        case .algorithmNoneMixed: .unsigned("nOnE", "alg is nOnE, the signature empty")
        case .algorithmEmpty: .unsigned("", "alg is empty, and so is the signature")
        case .algorithmMissing: .header(.missing("alg"))
        case .algorithmUnadvertised:
            .signed("PS256 with the published RSA key, which metadata does not offer", "PS256", .ownPSS) { $0.identifier(.rs256) }
        case .hmacWithPublicKey:
            .signed("HS256 keyed with the PEM of the public RSA key", "HS256", .hmacWithPublicKey) { $0.identifier(.rs256) }
        case .hmacWithPublishedKey:
            .signed("HS256 keyed with the key that keys-symmetric publishes", "HS256", .hmacWithPublishedKey) { _ in
                KeyRing.publishedSecretID
            }
        case .signatureWrong: .finish(.signatureXored, "every byte of the signature is changed")
        case .signatureMissing: .finish(.signatureCut, "the signature is empty")
        case .twoParts: .finish(.twoParts, "only header and claims")
        case .fiveParts: .finish(.fiveParts, "five parts, like an encrypted token")
        case .padded: .finish(.padded, "base64url with padding")
        case .notAToken: .finish(.replaced("not a token"), "text that is not a JWT")
        case .keyIdentifierWrong:
            .changing("kid is another published key's") {
                let other = $0.keys.identifier($0.algorithm == .es256 ? .rs256 : .es256)
                $0.draft.header = $0.draft.header.setting("kid", .string(other))
            }
        case .keyIdentifierUnknown: .header(.setting("kid", "nobody-knows-this-key", "is in no key set"))
        case .keyIdentifierMissing: .header(.missing("kid", ", which is allowed"))
        case .keyOther:
            .changing("signed by a key that was never published, with the right kid") {
                $0.draft.signer = .unpublishedKey($0.algorithm)
            }
        case .keyForEncryption:
            .signed("signed with the key whose use is enc", "ES256", .encryptionKey) { $0.encryptionIdentifier }
        case .keyInHeader:
            .unpublished("signed with an unpublished key that is in the header", "jwk") {
                (try? $0.keys.unpublishedKey($0.algorithm)) ?? .null
            }
        case .keyURLInHeader:
            .unpublished("signed with an unpublished key; the header names its key set", "jku") { .string($0.elsewhere) }
        case .certificateURLInHeader:
            .unpublished("signed with an unpublished key; the header names its certificate", "x5u") { .string($0.elsewhere) }
        case .critical:
            .header(.init("crit names an unknown extension") { $0.setting("crit", ["x-gate"]).setting("x-gate", true) })
        case .algorithmTwice:
            .changing("alg appears twice in the header") {
                $0.draft.headerText = #"{"alg":"none","# + $0.draft.header.text.dropFirst()
            }
        case .typeLogout: .header(.setting("typ", "logout+jwt", "is logout+jwt"))
        case .typeAccessToken: .header(.setting("typ", "at+jwt", "is at+jwt"))
        case .issuerWrong: .claims(.appending("1", to: "iss"))
        case .issuerMissing: .claims(.missing("iss"))
        case .issuerTrailingSlash: .claims(.appending("/", to: "iss", "has a slash appended"))
        case .issuerTwice:
            .payload("iss appears twice in the claims") { #"{"iss":"https://other.example","# + $0.text.dropFirst() }
        case .audienceWrong: .claims(.appending("1", to: "aud"))
        case .audienceMissing: .claims(.missing("aud"))
        case .audienceEmpty: .claims(.setting("aud", [], "is an empty array"))
        case .audienceArray: .audience("aud is an array of the one client, which is allowed") { $0.setting("aud", .array([$1])) }
        case .audienceExtra:
            .audience("aud also names another client, without azp") {
                $0.setting("aud", .array([$1, "somebody-else"])).removing("azp")
            }
        case .audienceExtraWithParty:
            .audience("aud also names another client, and azp is the right one") {
                $0.setting("aud", .array([$1, "somebody-else"])).setting("azp", $1)
            }
        case .partyOther: .claims(.setting("azp", "somebody-else", "is another client"))
        case .expired:
            .timed("exp was six minutes ago") { $0.setting("iat", .number($1 - 720)).setting("exp", .number($1 - 360)) }
        case .expiryMissing: .claims(.missing("exp"))
        case .expiryWord: .claims(.setting("exp", "tomorrow", "is tomorrow, in letters"))
        case .expiryDigits: .timed("exp is digits in quotes") { $0.setting("exp", .string(String($1 + 300))) }
        case .expiryHuge: .claims(.setting("exp", .number("1e300"), "is 1e300"))
        case .issuedMissing: .claims(.missing("iat"))
        case .issuedInFuture:
            .claims(.init("iat is an hour ahead") { $0.adding(Self.hour, to: "iat").adding(Self.hour, to: "exp") })
        case .issuedLongAgo: .claims(.init("iat was a week ago") { $0.adding(-7 * 24 * Self.hour, to: "iat") })
        case .issuedWord: .claims(.setting("iat", "yesterday", "is a word"))
        case .notBeforeFuture:
            .timed("nbf is an hour ahead") { $0.setting("nbf", .number($1 + Self.hour)).adding(2 * Self.hour, to: "exp") }
        case .nonceMissing: .claims(.missing("nonce"))
        case .nonceWrong: .claims(.appending("1", to: "nonce"))
        case .nonceNumber: .claims(.number("nonce"))
        case .accessTokenHashWrong: .claims(.appending("1", to: "at_hash"))
        case .accessTokenHashMissing: .claims(.missing("at_hash", ", which is allowed"))
        case .authenticationTimeMissing: .claims(.missing("auth_time"))
        case .authenticationTimeOld: .timed("auth_time was a day ago") { $0.setting("auth_time", .number($1 - 24 * Self.hour)) }
        case .authenticationClassMissing: .claims(.missing("acr"))
        case .authenticationClassOther: .claims(.setting("acr", "0", "is 0, regardless of the request"))
        case .subjectMissing: .claims(.missing("sub"))
        case .subjectEmpty: .claims(.setting("sub", "", "is empty"))
        case .subjectNumber: .claims(.number("sub"))
        case .subjectOther: .claims(.appending("-other", to: "sub", "is another user's"))
        case .subjectLong: .claims(.setting("sub", .string(String(repeating: "s", count: 10_000)), "has 10,000 characters"))
        case .payloadArray: .payload("the payload is an array") { "[\($0.text)]" }
        case .payloadText: .payload("the payload is a JSON text") { _ in JSONValue.string("sub").text }
        case .payloadNotJSON: .payload("the payload is not JSON") { String($0.text.dropLast()) }
        case .hostileNames:
            .claims(
                .init("name and email contain controls, markup and bidirectional overrides") {
                    $0.setting("name", .string(HostileText.all)).setting("email", .string("\u{1B}[31m" + HostileText.all))
                        .setting("preferred_username", .string(HostileText.all))
                })
        }
    }
}

/// Effects on the parts of a draft.
extension FaultEffect where Value == IDTokenFault.Subject {
    fileprivate static func header(_ effect: FaultEffect<JSONValue>) -> Self {
        .changing(effect.summary) { $0.draft.header = effect.apply($0.draft.header) }
    }

    fileprivate static func claims(_ effect: FaultEffect<JSONValue>) -> Self {
        .changing(effect.summary) { $0.draft.claims = effect.apply($0.draft.claims) }
    }

    /// - Parameter change: returns the claims with a change that depends on the time.
    fileprivate static func timed(_ summary: String, _ change: @escaping (JSONValue, Int64) -> JSONValue) -> Self {
        .changing(summary) { $0.draft.claims = change($0.draft.claims, $0.now) }
    }

    /// - Parameter change: returns the claims with a change that depends on their audience.
    fileprivate static func audience(_ summary: String, _ change: @escaping (JSONValue, JSONValue) -> JSONValue) -> Self {
        .claims(.init(summary) { change($0, $0["aud"] ?? .null) })
    }

    /// - Parameter text: returns the payload for the claims.
    fileprivate static func payload(_ summary: String, _ text: @escaping (JSONValue) -> String) -> Self {
        .changing(summary) { $0.draft.payload = text($0.draft.claims) }
    }

    fileprivate static func finish(_ finish: TokenDraft.Finish, _ summary: String) -> Self {
        .changing(summary) { $0.draft.finish = finish }
    }

    fileprivate static func unsigned(_ algorithm: String, _ summary: String) -> Self {
        .changing(summary) {
            $0.draft.header = $0.draft.header.setting("alg", .string(algorithm))
            $0.draft.signer = .unsigned
        }
    }

    /// - Parameter identifier: returns the key ID for the header.
    fileprivate static func signed(
        _ summary: String, _ algorithm: JSONValue, _ signer: TokenDraft.Signer, _ identifier: @escaping (KeyRing) -> String
    ) -> Self {
        .changing(summary) {
            $0.draft.header = $0.draft.header.setting("alg", algorithm).setting("kid", .string(identifier($0.keys)))
            $0.draft.signer = signer
        }
    }

    /// - Parameter value: returns the value of the header's member that names the key.
    fileprivate static func unpublished(
        _ summary: String, _ member: String, _ value: @escaping (IDTokenFault.Subject) -> JSONValue
    ) -> Self {
        .changing(summary) {
            $0.draft.header = $0.draft.header.setting(member, value($0)).setting("kid", "stranger")
            $0.draft.signer = .unpublishedKey($0.algorithm)
        }
    }
}
