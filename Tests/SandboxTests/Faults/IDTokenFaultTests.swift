import AuthModel
import Crypto
import Testing

@testable import Sandbox

@Suite(.serialized) struct IDTokenFaultTests {
    /// Faults whose tokens still have a valid signature.
    private static let validlySigned: Set<IDTokenFault> = Set(IDTokenFault.allCases).subtracting([
        .algorithmNone, .algorithmNoneCapital, .algorithmNoneMixed, .algorithmEmpty, .algorithmMissing, .hmacWithPublicKey,
        .hmacWithPublishedKey, .signatureWrong, .signatureMissing, .twoParts, .fiveParts, .padded, .notAToken, .keyIdentifierWrong,
        .keyIdentifierUnknown, .keyOther, .keyForEncryption, .keyInHeader, .keyURLInHeader, .certificateURLInHeader, .algorithmTwice,
    ])

    @Test(arguments: IDTokenFault.allCases, SandboxConfiguration.SigningAlgorithm.allCases)
    func idTokenHasTheFault(fault: IDTokenFault, algorithm: SandboxConfiguration.SigningAlgorithm) async throws {
        let now = Timestamp(milliseconds: 1_795_250_000_000)
        let configuration = SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: algorithm, time: FixedTime(now: now))
        try await RelyingParty.running(configuration) { server, party in
            let honest = DecodedToken(try await party.tokens([("max_age", "60")]).text("id_token"))
            let keys = try await Wire.get(server.issuer + "/jwks").json()
            await server.set([.idToken(fault)])
            let token = DecodedToken(try await party.tokens([("max_age", "60")]).text("id_token"))
            #expect(try token.isSigned(byOneOf: keys) == Self.validlySigned.contains(fault))
            #expect(Self.hasFault(token, fault, server: server, now: now.seconds, algorithm: algorithm, keys: keys))
            #expect(try honest.isSigned(byOneOf: keys))
            #expect(!Self.hasFault(honest, fault, server: server, now: now.seconds, algorithm: algorithm, keys: keys))
        }
    }

    /// Whether a token has the given fault.
    private static func hasFault(
        _ token: DecodedToken, _ fault: IDTokenFault, server: SandboxServer, now: Int64, algorithm: SandboxConfiguration.SigningAlgorithm,
        keys: JSONValue
    ) -> Bool {
        func isSigned(_ token: DecodedToken) -> Bool { (try? token.isSigned(byOneOf: keys)) == true }
        func header(_ name: String) -> JSONValue? { token.header?[name] }
        func claim(_ name: String) -> JSONValue? { token.claims?[name] }
        let signature = token.parts.count > 2 ? token.parts[2] : ""
        switch fault {
        case .algorithmNone: return header("alg") == "none" && signature.isEmpty
        case .algorithmNoneCapital: return header("alg") == "None" && signature.isEmpty
        case .algorithmNoneMixed: return header("alg") == "nOnE" && signature.isEmpty
        case .algorithmEmpty: return header("alg") == "" && signature.isEmpty
        case .algorithmMissing: return token.header != nil && header("alg") == nil && !signature.isEmpty
        case .algorithmUnadvertised: return header("alg") == "PS256"
        case .hmacWithPublicKey:
            return header("alg") == "HS256" && signature.utf8.count == 43 && header("kid")?.string?.contains("rs256") == true
        case .hmacWithPublishedKey:
            let key = SymmetricKey(data: Array("a key that everybody can read 01".utf8))
            let message = Array("\(token.parts[0]).\(token.parts.count > 1 ? token.parts[1] : "")".utf8)
            return DecodedToken.bytes(signature) == Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .signatureWrong:
            let mended = SandboxBase64.url((DecodedToken.bytes(signature) ?? []).map { $0 ^ 0x5A })
            return isSigned(DecodedToken((token.parts.prefix(2) + [mended]).joined(separator: ".")))
        case .signatureMissing: return token.parts.count == 3 && signature.isEmpty && header("alg")?.string == algorithm.rawValue
        case .twoParts: return token.parts.count == 2
        case .fiveParts: return token.parts.count == 5
        case .padded: return token.parts.contains { $0.hasSuffix("=") }
        case .notAToken: return token.parts == ["not a token"]
        case .keyIdentifierWrong:
            return header("kid")?.string?.hasSuffix(algorithm == .es256 ? "rs256-1" : "es256-1") == true
                && header("alg")?.string == algorithm.rawValue
        case .keyIdentifierUnknown: return header("kid") == "nobody-knows-this-key"
        case .keyIdentifierMissing: return token.header != nil && header("kid") == nil
        case .keyOther:
            return header("kid")?.string?.hasSuffix(algorithm.rawValue.lowercased() + "-1") == true && !isSigned(token)
                && !signature.isEmpty
        case .keyForEncryption: return header("kid")?.string?.contains("-enc-") == true
        case .keyInHeader: return (try? token.isSigned(byOneOf: ["keys": .array([header("jwk") ?? .null])])) == true
        case .keyURLInHeader: return header("jku")?.string?.hasSuffix("/elsewhere") == true
        case .certificateURLInHeader: return header("x5u")?.string?.hasSuffix("/elsewhere") == true
        case .critical: return header("crit") == ["x-gate"]
        case .algorithmTwice:
            return token.header == nil && token.headerText.split(separator: #""alg""#, omittingEmptySubsequences: false).count == 3
        case .typeLogout: return header("typ") == "logout+jwt"
        case .typeAccessToken: return header("typ") == "at+jwt"
        case .issuerWrong: return claim("iss")?.string == server.issuer + "1"
        case .issuerMissing: return token.claims != nil && claim("iss") == nil
        case .issuerTrailingSlash: return claim("iss")?.string == server.issuer + "/"
        case .issuerTwice:
            return token.claims == nil && token.payloadText.split(separator: #""iss""#, omittingEmptySubsequences: false).count == 3
        case .audienceWrong: return claim("aud") == "yett1"
        case .audienceMissing: return token.claims != nil && claim("aud") == nil
        case .audienceEmpty: return claim("aud") == []
        case .audienceArray: return claim("aud") == ["yett"]
        case .audienceExtra: return claim("aud") == ["yett", "somebody-else"] && claim("azp") == nil
        case .audienceExtraWithParty: return claim("aud") == ["yett", "somebody-else"] && claim("azp") == "yett"
        case .partyOther: return claim("azp") == "somebody-else"
        case .expired: return claim("exp")?.integer == now - 360
        case .expiryMissing: return token.claims != nil && claim("exp") == nil
        case .expiryWord: return claim("exp") == "tomorrow"
        case .expiryDigits: return claim("exp")?.string == String(now + 300)
        case .expiryHuge: return claim("exp") == .number("1e300")
        case .issuedMissing: return token.claims != nil && claim("iat") == nil
        case .issuedInFuture: return claim("iat")?.integer == now + 3600
        case .issuedLongAgo: return claim("iat")?.integer == now - 604_800
        case .issuedWord: return claim("iat") == "yesterday"
        case .notBeforeFuture: return claim("nbf")?.integer == now + 3600
        case .nonceMissing: return token.claims != nil && claim("nonce") == nil
        case .nonceWrong: return claim("nonce") == "nonce-11"
        case .nonceNumber: return claim("nonce") == 42
        case .accessTokenHashWrong: return claim("at_hash")?.string.map { $0.hasSuffix("1") && [23, 44].contains($0.utf8.count) } == true
        case .accessTokenHashMissing: return token.claims != nil && claim("at_hash") == nil
        case .authenticationTimeMissing: return token.claims != nil && claim("auth_time") == nil
        case .authenticationTimeOld: return claim("auth_time")?.integer == now - 86_400
        case .authenticationClassMissing: return token.claims != nil && claim("acr") == nil
        case .authenticationClassOther: return claim("acr") == "0"
        case .subjectMissing: return token.claims != nil && claim("sub") == nil
        case .subjectEmpty: return claim("sub") == ""
        case .subjectNumber: return claim("sub") == 42
        case .subjectOther: return claim("sub") == "sandbox-ada-other"
        case .subjectLong: return claim("sub")?.string?.utf8.count == 10_000
        case .payloadArray: return token.claims?.array?.count == 1
        case .payloadText: return token.claims == "sub"
        case .payloadNotJSON: return token.claims == nil && token.payloadText.hasPrefix("{") && !token.payloadText.hasSuffix("}")
        case .hostileNames:
            return ["name", "email", "preferred_username"].allSatisfy { claim($0)?.string?.contains("\u{1B}]0;owned") == true }
        }
    }
}
