/// A server on 127.0.0.1 in place of AWS's token service: it answers every request with the same credentials, except for the question whose
/// credentials a request has.
final class TokenServiceStandIn: Sendable {
    private let server: StandInServer

    static let keyID = "ASgeIAIOSFODNN7EXAMPLE"
    static let secret = "wJalrXUtnFEMIK7MDENG"

    private static func answer(_ expiration: String) -> String {
        """
        <AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>\
        <SessionToken>AQoDYXdzEE0a8ANXXXX</SessionToken><SecretAccessKey>\(secret)</SecretAccessKey>\
        <Expiration>\(expiration)</Expiration><AccessKeyId>\(keyID)</AccessKeyId>\
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
        """
    }

    private static let identity = """
        <GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>\
        <Arn>arn:aws:sts::123456789012:assumed-role/dev/ada</Arn><UserId>A:ada</UserId><Account>123456789012</Account>\
        </GetCallerIdentityResult></GetCallerIdentityResponse>
        """

    /// Starts the server. It ends with the last reference.
    ///
    /// - Parameter expiration: when the credentials end.
    init(expiration: String = "2126-10-24T23:00:23Z") throws {
        server = try StandInServer { request in
            let isQuestion = String(decoding: request.body, as: UTF8.self).contains("Action=GetCallerIdentity")
            return .init(body: Array((isQuestion ? Self.identity : Self.answer(expiration)).utf8))
        }
    }

    var port: Int { server.port }

    /// The requests, with their bodies.
    var requests: [String] { server.requests.map { $0.head + "\n" + String(decoding: $0.body, as: UTF8.self) } }
}
