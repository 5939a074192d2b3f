internal import AuthModel

extension ClaimReader {
    /// When the person last showed who they are, held to what was asked (OpenID Connect Core section 3.1.3.7, steps 12 and 13): `acr` is
    /// one of `contextClasses`, unless there are none; `auth_time` is there and at most `maxAge` seconds ago, where that was asked.
    func authentication(contextClasses: [String], maxAge: Int?, now: Timestamp) throws(TokenError) -> Timestamp? {
        let contextClass = try text("acr")
        if !contextClasses.isEmpty {
            guard let contextClass, contextClasses.contains(where: contextClass.hasSameBytes) else { throw .wrongContextClass }
        }
        let moment = try time("auth_time")
        if let maxAge {
            guard let moment else { throw .missingClaim("auth_time") }
            guard moment <= now + IDTokenValidator.issueWindow else { throw .notYetValid }
            guard now - moment <= .seconds(maxAge) + IDTokenValidator.clockTolerance else { throw .signedInTooLongAgo }
        }
        return moment
    }
}
