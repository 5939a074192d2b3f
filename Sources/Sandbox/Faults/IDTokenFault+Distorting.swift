import AuthModel

extension IDTokenFault {
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
