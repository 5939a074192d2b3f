/// A server on 127.0.0.1 in place of AWS's token service: it answers every request with the same credentials.
final class TokenServiceStandIn: Sendable {
    private let server: StandInServer

    static let secret = "wJalrXUtnFEMIK7MDENG"

    private static func answer(_ expiration: String) -> String {
        """
        <AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>\
        <SessionToken>AQoDYXdzEE0a8ANXXXX</SessionToken><SecretAccessKey>\(secret)</SecretAccessKey>\
        <Expiration>\(expiration)</Expiration><AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId>\
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
        """
    }

    /// Starts the server. It ends with the last reference.
    ///
    /// - Parameter expiration: when the credentials end.
    init(expiration: String = "2126-10-24T23:00:23Z") throws {
        server = try StandInServer { _ in .init(body: Array(Self.answer(expiration).utf8)) }
    }

    var port: Int { server.port }

    /// The requests, with their bodies.
    var requests: [String] { server.requests.map { $0.head + "\n" + String(decoding: $0.body, as: UTF8.self) } }
}
