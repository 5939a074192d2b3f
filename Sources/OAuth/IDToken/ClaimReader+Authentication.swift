internal import AuthModel

extension ClaimReader {
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
