import AuthModel

/// Reads claims by type (RFC 7519 section 4.1). A claim of the wrong type is an error; null counts as absent.
struct ClaimReader {
    let object: JSONValue

    init(_ object: JSONValue) { self.object = object }

    private func claim(_ name: String) -> JSONValue? {
        let value = object[name]
        return value == .null ? nil : value
    }

    func text(_ name: String) throws(TokenError) -> String? {
        guard let value = claim(name) else { return nil }
        guard let text = value.string else { throw .invalidClaim(name) }
        return text
    }

    func requiredText(_ name: String) throws(TokenError) -> String {
        guard let text = try text(name) else { throw .missingClaim(name) }
        return text
    }

    /// Reads a NumericDate: seconds since 1970, with optional fractions.
    func time(_ name: String) throws(TokenError) -> Timestamp? {
        guard let value = claim(name) else { return nil }
        guard let seconds = value.double, seconds >= 0 else { throw .invalidClaim(name) }
        return Timestamp(seconds: seconds)
    }

    func requiredTime(_ name: String) throws(TokenError) -> Timestamp {
        guard let time = try time(name) else { throw .missingClaim(name) }
        return time
    }

    /// Reads `aud`: a string or an array of strings, which may be empty.
    func audience() throws(TokenError) -> [String] {
        guard let value = claim("aud") else { throw .missingClaim("aud") }
        guard let list = value.string.map({ [$0] }) ?? value.strings else { throw .invalidClaim("aud") }
        return list
    }

    /// Reads `sub`: 1 to 255 bytes (OpenID Connect Core section 2) without control characters. Core requires ASCII; other letters are
    /// accepted, because they are harmless if subjects are compared byte for byte.
    func subject() throws(TokenError) -> String {
        let text = try requiredText("sub")
        guard (1...255).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalidClaim("sub")
        }
        return text
    }

    /// Validates the user's authentication and returns its time (OpenID Connect Core section 3.1.3.7, steps 12 and 13): `acr` must be one
    /// of `contextClasses`, unless these are empty; if `maxAge` is set, `auth_time` must be present and at most `maxAge` seconds ago.
    func authentication(contextClasses: [String], maxAge: Int?, now: Timestamp) throws(TokenError) -> Timestamp? {
        let contextClass = try text("acr")
        if !contextClasses.isEmpty {
            guard let contextClass, contextClasses.contains(where: contextClass.hasSameBytes) else { throw .wrongContextClass }
        }
        let moment = try time("auth_time")
        if let maxAge {
            guard let moment else { throw .missingClaim("auth_time") }
            guard moment <= now + IDTokenValidator.issueWindow else { throw .notYetValid }
            guard now - moment <= .seconds(maxAge) + IDTokenValidator.clockTolerance else { throw .authenticationTooOld }
        }
        return moment
    }
}
