import AuthModel
import OAuth
import Testing

@testable import ProviderKinds

/// AWS IAM Identity Center: the addresses of its partitions, and the names of its requests and answers.
struct IdentityCenterTests {
    @Test(arguments: [
        ("eu-central-1", "eu-central-1.amazonaws.com", "signin.aws.amazon.com", "console.aws.amazon.com"),
        ("us-gov-west-1", "us-gov-west-1.amazonaws.com", "signin.amazonaws-us-gov.com", "console.amazonaws-us-gov.com"),
        ("cn-north-1", "cn-north-1.amazonaws.com.cn", "signin.amazonaws.cn", "console.amazonaws.cn"),
    ])
    func partitionDecidesTheServices(region: String, domain: String, signIn: String, console: String) throws {
        let start = try #require(WebURL("https://example.awsapps.com/start"))
        let settings = IdentityCenterConfiguration(startURL: start, region: region)
        #expect(try settings.signInService("/token").text == "https://oidc.\(domain)/token")
        #expect(try settings.portal("/logout").text == "https://portal.sso.\(domain)/logout")
        #expect(settings.console?.federation.text == "https://\(signIn)/federation")
        #expect(settings.console?.home.text == "https://\(console)/" && settings.console?.signIn == start)
    }

    @Test(arguments: ["", "eu", "eu-central", "eu-central-1.evil.example", "eu-central-1/", "EU-central-1", "eu--1", "eu-central-123"])
    func otherTextIsNoRegion(text: String) { #expect(!IdentityCenterConfiguration.isRegion(text)) }

    @Test func namesAreTranslatedBothWays() {
        #expect(IdentityCenterWire.camelCased("client_id") == "clientId" && IdentityCenterWire.camelCased("code") == "code")
        #expect(IdentityCenterWire.snakeCased("verificationUriComplete") == "verification_uri_complete")
    }

    @Test func errorWithoutACodeHasThatOfItsName() {
        for (headers, body) in [
            ([("x-amzn-ErrorType", "SlowDownException:http://internal.amazon.com/")], "{}"), ([], "{\"__type\":\"a#SlowDownException\"}"),
        ] as [([(String, String)], String)] {
            let answer = IdentityCenterWire.translated(
                WebResponse(status: 400, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8)))
            #expect((try? JSONValue(strict: answer.body))?["error"] == "slow_down")
        }
        let own = WebResponse(status: 400, body: Array("{\"error\":\"invalid_grant\"}".utf8))
        #expect((try? JSONValue(strict: IdentityCenterWire.translated(own).body))?["error"] == "invalid_grant")
    }

    /// Codes that end a grant, in answers that say nothing about it.
    @Test(arguments: [
        ("InvalidRequestRegionException", "{\"error\":\"invalid_request\",\"error_description\":\"why\",\"region\":\"eu-west-1\"}"),
        ("AccessDeniedException", "{\"error\":\"access_denied\",\"error_description\":\"why\",\"reason\":\"KMS_AccessDeniedException\"}"),
        ("InvalidRequestException", "{\"error\":\"invalid_request\",\"error_description\":\"why\",\"reason\":\"KMS_DisabledException\"}"),
        ("ThrottlingException", "{\"error_description\":\"why\"}"), ("TooManyRequestsException", "{\"error_description\":\"why\"}"),
    ])
    func refusalThatConcernsNoGrantIsTemporary(name: String, body: String) throws {
        let answer = IdentityCenterWire.translated(
            WebResponse(status: 400, headers: [(name: "x-amzn-ErrorType", value: name)], body: Array(body.utf8)))
        let document = try JSONValue(strict: answer.body)
        #expect(answer.status == 503 && document["error"] == nil && document["error_description"] == "why")
    }
}
