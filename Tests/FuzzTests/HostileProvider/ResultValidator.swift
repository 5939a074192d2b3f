import AuthModel
import Fuzzing
import Localization
import OAuth

/// Checks the result of a test case against the messages that were sent, and never against what the engine reports about itself.
struct ResultValidator {
    let issuer: String
    let clientID: String
    let key: ProviderKey
    let evidence: Evidence
    let now: Timestamp

    /// Checks a new session against each response that it was created from.
    func check(_ session: SessionRecord, _ scene: Scene) throws(BrokenProperty) {
        let summary = session.summary
        try require(summary.issuer == issuer && session.identity.issuer == issuer, "the session belongs to another issuer")
        try require(summary.subject == session.identity.subject && !session.identity.subject.isEmpty, "the session has no user")
        try require(evidence.document(.discovery)?["issuer"]?.string == issuer, "the metadata belongs to another issuer")
        guard let answer = evidence.document(.token) else { throw BrokenProperty("no JSON token response was sent") }
        try require(answer["error"] == nil, "the token response is also an error")
        try require(answer["access_token"]?.string == session.tokens?.accessToken.reveal(), "the access token differs from the response")
        let type = answer["token_type"]?.string?.lowercased()
        try require(type == "dpop" || scene != .proof && type == "bearer", "the token type is unknown or not bound")
        try checkIDToken(answer, session, scene)
        if scene == .signedUserInfo { try checkSignedUserInfo(session) }
        if let claims = evidence.document(.userInfo) {
            try require(claims["sub"]?.string == session.identity.subject, "userinfo is about another user")
        }
        if scene != .device && scene != .renewal {
            try require(evidence.callbacks.contains(where: isRight), "no correct callback was sent")
        }
    }

    private func checkIDToken(_ answer: JSONValue, _ session: SessionRecord, _ scene: Scene) throws(BrokenProperty) {
        guard let token = answer["id_token"]?.string else {
            // OpenID Connect Core section 12.2 allows a refresh without an ID token, and DESIGN's device flow asks userinfo.
            try require(scene == .renewal || scene == .device, "there is no ID token")
            return
        }
        guard let claims = key.verified(token) else { throw BrokenProperty("the ID token is not the signed one") }
        try require(claims["iss"]?.string == issuer, "the ID token belongs to another issuer")
        try require(claims["sub"]?.string == session.identity.subject, "the ID token is about another user")
        let audience = claims["aud"]
        try require(
            audience?.string == clientID || audience?.strings.map(Set.init) == [clientID], "the ID token is for another client")
        try require(claims["azp"] == nil || claims["azp"]?.string == clientID, "the ID token is for another party")
        if scene == .renewal || scene == .device {
            // A refreshed ID token has the first one's nonce, or none. A device authorization request has no nonce.
        } else {
            try require(evidence.nonce != nil && claims["nonce"]?.string == evidence.nonce, "the ID token belongs to another attempt")
        }
        guard let end = claims["exp"]?.double, let start = claims["iat"]?.double else { throw BrokenProperty("the ID token has no times") }
        let present = Double(now.seconds)
        try require(end > present - 130 && abs(start - present) <= 660 && end > start, "the ID token is expired, or not from the present")
        try require((claims["nbf"]?.double ?? 0) <= present + 130, "the ID token is not valid yet")
        if let hash = claims["at_hash"] {
            try require(hash.string == ProviderKey.hash(session.tokens?.accessToken.reveal() ?? ""), "the ID token is for another token")
        }
    }

    private func checkSignedUserInfo(_ session: SessionRecord) throws(BrokenProperty) {
        let text = String(decoding: evidence.bodies[.signedUserInfo] ?? [], as: UTF8.self).split(separator: " ").joined()
        guard let claims = key.verified(text.replacing("\t", with: "")) else { throw BrokenProperty("userinfo is not the signed document") }
        try require(claims == session.identity.userInfo, "userinfo differs from the stored claims")
        try require(claims["sub"]?.string == session.identity.subject, "signed userinfo is about another user")
        try require(claims["iss"] == nil || claims["iss"]?.string == issuer, "signed userinfo belongs to another issuer")
        let audience = claims["aud"]
        try require(
            audience == nil || audience?.string == clientID || audience?.strings?.contains(clientID) == true,
            "signed userinfo is for another client")
        try require(claims["exp"].map { ($0.double ?? 0) > Double(now.seconds) - 130 } ?? true, "signed userinfo has expired")
    }

    /// Returns whether a client may accept the code of a callback.
    private func isRight(_ query: String) -> Bool {
        guard let state = evidence.state, let pairs = FormEncoding.decode(query.prefix { $0 != "#" }) else { return false }
        func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }
        return values("state") == [state] && values("iss") == [issuer] && values("code").count == 1 && values("code") != [""]
            && ["error", "id_token", "access_token", "response"].allSatisfy { values($0).isEmpty }
    }

    /// Checks that a failure is readable, has a hint, and reveals no secret.
    func check(_ failure: AuthFailure) throws(BrokenProperty) {
        try require([2, 4, 5, 6, 7, 8].contains(failure.exitCode), "fails with \(failure.exitCode): \(failure.summary)")
        try require(failure.hintText != nil, "gives no hint: \(failure.summary)")
        try FuzzFixture.checkText(of: failure)
        try check(text: failure.summary)
        try check(text: failure.hintText ?? "")
    }

    /// Checks that a displayed text contains no secret of the attempt.
    func check(text: String) throws(BrokenProperty) {
        for secret in evidence.secrets {
            try require(!text.contains(secret.prefix(32)), "tells a secret: \(text)")
        }
    }

    private func require(_ holds: Bool, _ text: @autoclosure () -> String) throws(BrokenProperty) {
        try BrokenProperty.unless(holds, text())
    }
}
