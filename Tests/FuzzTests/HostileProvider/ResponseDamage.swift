import AuthModel
import Fuzzing

/// One damage to the responses of one place. Its seed determines the details, so it can be repeated exactly.
struct ResponseDamage: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// A member of the JSON document is changed, removed or duplicated.
        case member
        /// The document's text is damaged where JSON parsers often fail.
        case text
        /// Any bytes of the body are damaged.
        case bytes
        /// Damage to status, header fields, framing and encoding.
        case wire
        /// An unexpected redirect.
        case redirect
        /// An OAuth error with a text that contains secrets.
        case error
        /// A header or claim of the ID token is changed before signing.
        case token
        /// The ID token's text is changed after signing.
        case compact
        /// The parameters of the callback are changed.
        case callback
        /// The challenge of a resource is changed.
        case challenge
        /// A harmless variation that each client must accept.
        case variation

        func belongs(at place: Place) -> Bool {
            switch self {
            case .token, .compact: place == .token || place == .signedUserInfo
            case .callback: place.sendsBrowserOn
            case .challenge: place == .resource
            case .error: !place.sendsBrowserOn
            case .member: ![.resource, .signedUserInfo].contains(place) && !place.sendsBrowserOn
            case .text, .bytes: place != .resource && !place.sendsBrowserOn
            case .wire, .redirect, .variation: true
            }
        }
    }

    let place: Place
    let kind: Kind
    let seed: UInt64

    var description: String { "\(kind) at \(place) (\(seed))" }

    /// Returns a random damage at one of the places.
    static func random(at places: [Place], using generator: inout SeededGenerator) -> ResponseDamage {
        let place = generator.pick(places)
        var kinds = Kind.allCases.filter { $0 != .variation && $0.belongs(at: place) }
        // Signed data and callbacks allow the most attacks.
        if place == .token || place == .signedUserInfo { kinds += [.token, .token, .token, .token, .compact] }
        if place.sendsBrowserOn { kinds += [.callback, .callback, .callback, .callback] }
        if place == .resource { kinds += [.challenge, .challenge, .challenge] }
        return ResponseDamage(place: place, kind: generator.pick(kinds), seed: generator.next())
    }

    /// Returns a harmless variation at one of the places.
    static func variation(at places: [Place], using generator: inout SeededGenerator) -> ResponseDamage {
        ResponseDamage(place: generator.pick(places), kind: .variation, seed: generator.next())
    }

    func apply(to answer: inout RawAnswer, request: RawRequest, key: ProviderKey, secrets: Set<String>) {
        var generator = SeededGenerator(seed: seed)
        switch kind {
        case .member:
            if let document = answer.json { answer.body = Array(DocumentDamage.member(of: document, using: &generator).utf8) }
        case .text: answer.body = DocumentDamage.text(answer.body, using: &generator)
        case .bytes:
            answer.body = Mutator(corpus: [], words: [], maximumLength: 1 << 20).changed(answer.body, using: &generator)
        case .wire: WireDamage.apply(to: &answer, using: &generator)
        case .redirect: WireDamage.redirect(&answer, using: &generator)
        case .error: answer = Self.error(secrets: secrets, using: &generator)
        case .token: damageToken(of: &answer, key: key, using: &generator)
        case .compact: damageCompact(of: &answer, using: &generator)
        case .callback: CallbackDamage.apply(to: &answer, using: &generator)
        case .challenge: ChallengeDamage.apply(to: &answer, using: &generator)
        case .variation: HarmlessVariation.apply(to: &answer, at: place, using: &generator)
        }
    }

    private func damageToken(of answer: inout RawAnswer, key: ProviderKey, using generator: inout SeededGenerator) {
        guard let token = answer.signedToken, let claims = ProviderKey.claims(of: token) else { return }
        let isHeader = generator.below(4) == 0
        let header = isHeader ? DocumentDamage.member(of: ProviderKey.header, using: &generator) : ProviderKey.header.text
        let payload = isHeader ? claims.text : DocumentDamage.member(of: claims, using: &generator)
        answer.signedToken = key.sign(header: header, claims: payload)
    }

    private func damageCompact(of answer: inout RawAnswer, using generator: inout SeededGenerator) {
        guard let token = answer.signedToken else { return }
        let parts = token.split(separator: ".").map(String.init)
        let damaged: String
        switch generator.below(8) {
        case 0: damaged = parts.prefix(2).joined(separator: ".") + "."
        case 1: damaged = parts.prefix(2).joined(separator: ".")
        case 2: damaged = token + generator.pick(["=", ".", "\n", " ", ".AA"])
        case 3: damaged = generator.pick([" ", "\t", ".", "="]) + token
        case 4: damaged = "eyJhbGciOiJub25lIn0." + parts[1] + "."
        case 5: damaged = "eyJhbGciOiJIUzI1NiIsImtpZCI6Imhvc3RpbGUtMSJ9." + parts.dropFirst().joined(separator: ".")
        case 6: damaged = parts.reversed().joined(separator: ".")
        default:
            let changed = Mutator(corpus: [], words: [Array("A".utf8), Array("_".utf8)]).changed(Array(token.utf8), using: &generator)
            damaged = String(decoding: changed, as: UTF8.self)
        }
        answer.signedToken = damaged
    }

    /// Returns an error response whose text contains secrets of the request, or terminal control sequences.
    private static func error(secrets: Set<String>, using generator: inout SeededGenerator) -> RawAnswer {
        let code = generator.pick([
            "invalid_grant", "invalid_client", "invalid_request", "access_denied", "server_error", "temporarily_unavailable", "slow_down",
            "authorization_pending", "expired_token", "use_dpop_nonce", "invalid_dpop_proof", "insufficient_user_authentication",
            "unmet_authentication_requirements", "invalid_target", "x", "", "\u{1B}[2Jinvalid", "Forbidden", "a b", "é",
        ])
        let all = secrets.sorted()
        let secret = all.isEmpty ? "" : generator.pick(all)
        let text = generator.pick([
            "no", "no \(secret) here", secret, "\(secret.prefix(40)) is not known", "\u{1B}]0;x\u{7}\u{202E}txt\u{200B}\r\nyett: error: no",
            String(repeating: "long ", count: 5000), "", "(code=\(secret))",
        ])
        let status = generator.pick([
            "400 Bad", "401 No", "403 No", "404 No", "429 Slow", "500 No", "503 No", "200 Yes", "418 No", "302 Go",
        ])
        let document: JSONValue = ["error": .string(code), "error_description": .string(text), "error_uri": "javascript:alert(1)"]
        var answer = RawAnswer(status: status, json: document)
        if generator.below(4) == 0 {
            answer.body = Array(
                generator.pick(["<html>\(secret)</html>", "no \(secret)", "", "error=\(code)", "[]", "{\"error\":1}"]).utf8)
        }
        return answer
    }
}
