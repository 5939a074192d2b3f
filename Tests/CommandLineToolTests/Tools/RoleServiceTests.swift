import AuthModel
import Localization
import OAuth
import Testing

@testable import CommandLineTool

/// The request to AWS's token service, and its responses.
struct RoleServiceTests {
    private static let role = "arn:aws:iam::123456789012:role/dev"

    private static let answer = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult>
            <Credentials>
              <SessionToken>AQoDYXdzEE0a8ANXXXX+/=</SessionToken>
              <SecretAccessKey>wJalrXUtnFEMI/K7MDENG</SecretAccessKey>
              <Expiration>2026-10-24T23:00:23Z</Expiration>
              <AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId>
            </Credentials>
          </AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """

    private func credentials(status: Int = 200, _ body: String) throws(AuthFailure) -> JSONValue {
        try RoleService(role: Self.role, region: nil, endpoint: nil).credentials(in: WebResponse(status: status, body: Array(body.utf8)))
    }

    @Test func credentialsHaveTheFormatOfACredentialProcess() throws {
        #expect(
            try credentials(Self.answer).text
                == #"{"Version":1,"AccessKeyId":"ASgeIAIOSFODNN7EXAMPLE","SecretAccessKey":"wJalrXUtnFEMI/K7MDENG","SessionToken":"AQoDYXdzEE0a8ANXXXX+/=","Expiration":"2026-10-24T23:00:23Z"}"#
        )
    }

    @Test(arguments: [
        ("AccessKeyId", "Other"), ("2026-10-24T23:00:23Z", "soon"), ("wJalrXUtnFEMI", "a b"), ("wJalrXUtnFEMI", "a<b/>"),
        ("</SessionToken>", ""),
    ])
    func incompleteResponseIsRefused(part: String, other: String) {
        let failure = #expect(throws: AuthFailure.self) { try credentials(Self.answer.replacing(part, with: other)) }
        #expect(failure?.exitCode == 8)
        #expect(failure?.summary.contains("wJalr") == false)
    }

    @Test(arguments: [
        (403, "<Error><Code>AccessDenied</Code><Message>no\u{1B}[2J</Message></Error>", Int32(5), "AccessDenied"),
        (400, "<Code>ev\u{1B}il</Code>", 5, "status 400"), (429, "", 7, "429"), (500, "", 7, "500"),
    ])
    func refusalShowsOnlyTheErrorCode(status: Int, body: String, exit: Int32, word: String) {
        let failure = #expect(throws: AuthFailure.self) { try credentials(status: status, body) }
        #expect(failure?.exitCode == exit)
        #expect(failure?.summary.contains(word) == true)
    }

    @Test(arguments: [
        ("arn:aws:iam::1:role/a", String?.none, "https://sts.amazonaws.com/"),
        ("arn:aws:iam::1:role/a", "eu-central-1", "https://sts.eu-central-1.amazonaws.com/"),
        ("arn:aws-cn:iam::1:role/a", nil, "https://sts.cn-north-1.amazonaws.com.cn/"),
        ("arn:aws-us-gov:iam::1:role/a", nil, "https://sts.us-gov-west-1.amazonaws.com/"),
    ])
    func endpointFollowsTheRegion(role: String, region: String?, url: String) throws {
        let service = try RoleService(role: role, region: region, endpoint: nil)
        #expect(service.url.text == url)
        #expect(service.isAWS)
    }

    @Test(arguments: ["evil.example/", "a b", "evil.example#", "A"])
    func regionCannotNameAnotherHost(region: String) {
        #expect(throws: AuthFailure.self) { try RoleService(role: Self.role, region: region, endpoint: nil) }
    }

    @Test(arguments: ["http://sts.example", "sts", "https://sts.example/?a=b"])
    func endpointMustBeHTTPS(endpoint: String) {
        #expect(throws: AuthFailure.self) { try RoleService(role: Self.role, region: nil, endpoint: endpoint) }
    }

    @Test func tokenIsSentInTheBodyOnly() throws {
        let request = try RoleService(role: Self.role, region: nil, endpoint: nil)
            .request(Secret("to+ken"), sessionName: "ada@example.org/é x", duration: 900)
        #expect(request.url.text == "https://sts.amazonaws.com/")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fdev"
                + "&RoleSessionName=ada%40example.org---x&WebIdentityToken=to%2Bken&DurationSeconds=900")
    }

    @Test(arguments: [("", "yett"), ("a", "yett"), (String(repeating: "a", count: 70), String(repeating: "a", count: 64))])
    func roleSessionNameIsValidForAWS(text: String, name: String) {
        #expect(RoleService.sessionName(from: text) == name)
    }
}
