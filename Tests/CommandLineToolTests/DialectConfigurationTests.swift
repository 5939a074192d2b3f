import AuthModel
import Localization
import OAuth
import TestSupport
import Testing

@testable import CommandLineTool
@testable import ProviderKinds
@testable import UserConfiguration

/// The keys that describe how a service differs from the standards.
struct DialectConfigurationTests {
    private static let plain = """
        kind = "oauth2"
        client_id = "yett"
        authorization_endpoint = "https://id.example.org/authorize"
        token_endpoint = "https://id.example.org/token"

        """
    private static let openID = "kind = \"oidc\"\nissuer = \"https://id.example.org/common/v2.0\"\nclient_id = \"yett\"\n"

    private static func provider(_ lines: String) throws -> ProviderConfiguration {
        try #require(try ConfigurationTests.reader.read(ConfigurationTests.provider(lines)).providers.first)
    }

    @Test(arguments: [plain, openID]) func standardsAreTheDefault(_ lines: String) throws {
        let provider = try Self.provider(lines)
        #expect(provider.dialect == ProviderDialect())
        #expect(provider.dialect.shown.isEmpty)
    }

    /// A token that is exchanged for a longer one comes without an ID token.
    @Test func longLivedTokensAreForPlainOAuth() throws {
        let line = "long_lived_grant = \"ig_exchange_token\"\n"
        #expect(try Self.provider(Self.plain + line).dialect.longLivedGrant == "ig_exchange_token")
        #expect(throws: AuthFailure.self) { try Self.provider(Self.openID + line) }
    }

    @Test func readsEveryKey() throws {
        let provider = try Self.provider(
            Self.openID.replacing("oidc", with: "oauth2") + """
                client_secret_file = "/secret"
                discovery = "https://id.example.org/metadata.json"
                issuer_pattern = "https://id.example.org/{tenantid}/v2.0"
                trusted_audiences = ["project"]
                resource_parameter = "off"
                client_id_parameter = "client_key"
                client_secret_parameter = "secret"
                paste_redirect = "https://www.example.org/callback"
                redirect_name = "Ada-AdaApp-PRD-1"
                redirect_parameter = "redirect_url"
                pkce = "refused"
                scope_parameter = "user_scope"
                scope_separator = ","
                scopes_in_response = "ignored"
                renewal_scopes = "sent"
                token_request = "query"
                token_params = { client_key = "k", redirect_uri = "http://127.0.0.1:8400/", company = "{callback.realmId}" }
                device_params = { response_type = "device_code" }
                device_lifetime = 600
                device_token_endpoint = "https://id.example.org/device/token"
                device_grant = "device"
                device_code_parameter = "code"
                device_poll_params = { user_code = "{user_code}" }
                device_client_token = "0123abc"
                device_pkce = "required"
                api_errors = { OAUTH_027 = "denied", "Token expired" = "ended" }
                device_errors = { 410 = "expired_token", 1349174 = "authorization_pending" }
                refresh_endpoint = "https://id.example.org/refresh"
                long_lived_grant = "ig_exchange_token"
                long_lived_endpoint = "https://id.example.org/exchange"
                renewal_grant = "ig_refresh_token"
                access_token_parameter = "fb_exchange_token"
                code_parameter = "spapi_oauth_code"
                token_code_parameter = "auth_code"
                callback_members = ["realmId", "realmId"]
                token_type = "Bearer"
                access_lifetime = 7200
                tokens_at = "authed_user"
                zero_lifetime = "unlimited"
                renewal = "maybe"
                userinfo = "required"
                userinfo_body = '{"query":"{ viewer { id } }"}'
                userinfo_params = { access_token = "{access_token}", key = "{client_id}", openid = "{token.data.openid}", v = "2" }
                userinfo_scheme = "OAuth"
                userinfo_headers = { Notion-Version = "2022-06-28" }
                identity = { subject = "data.0.id", name = "data.0.login", email = "mail" }
                token_header = "X-Example-Token"
                api_scheme = "OAuth"
                client_assertion_audience = "token_endpoint"
                client_assertion_issuer = "DEF123GHIJ"
                client_assertion_algorithm = "RS384"
                client_assertion_parameter = "client_secret"
                token_headers = { X-Identity-Domain = "{client_id}" }
                api_refused_status = [203, 403]
                api_headers = { Client-Id = "{client_id}", X-Version = "3" }
                api_host_from = "instance_url"
                revocation = "bearer"
                revocation_parameter = "access_token"
                revokes = "access"
                end_session_params = { client_id = "{client_id}", logout_uri = "{redirect}" }

                """)
        var wanted = ProviderDialect()
        wanted.discovery = WebURL("https://id.example.org/metadata.json")
        wanted.issuerPattern = IssuerPattern("https://id.example.org/{tenantid}/v2.0")
        wanted.trustedAudiences = ["project"]
        wanted.resourceParameter = .off
        wanted.tokenParameters = ["client_key": "k", "redirect_uri": "http://127.0.0.1:8400/", "company": "{callback.realmId}"]
        wanted.secretParameter = .secret
        wanted.redirectName = "Ada-AdaApp-PRD-1"
        wanted.redirectParameter = .redirectURL
        wanted.tokenHeader = "X-Example-Token"
        wanted.accessLifetime = 7200
        wanted.userInfoParameters = ["access_token": "{access_token}", "key": "yett", "openid": "{token.data.openid}", "v": "2"]
        wanted.userInfoHeaders = ["Notion-Version": "2022-06-28"]
        wanted.revocationParameter = "access_token"
        wanted.clientParameter = "client_key"
        wanted.device.parameters = ["response_type": "device_code"]
        wanted.device.lifetime = 600
        wanted.device.tokenEndpoint = WebURL("https://id.example.org/device/token")
        wanted.device.grantType = "device"
        wanted.device.codeParameter = "code"
        wanted.device.pollParameters = ["user_code": "{user_code}"]
        wanted.device.clientToken = "0123abc"
        wanted.device.pkce = .required
        wanted.device.meanings = ["410": .expired, "1349174": .pending]
        wanted.refreshEndpoint = WebURL("https://id.example.org/refresh")
        wanted.longLivedGrant = "ig_exchange_token"
        wanted.longLivedEndpoint = WebURL("https://id.example.org/exchange")
        wanted.renewalGrant = "ig_refresh_token"
        wanted.accessTokenParameter = .facebookExchangeToken
        wanted.codeParameter = "spapi_oauth_code"
        wanted.tokenCodeParameter = .authCode
        wanted.callbackMembers = ["realmId"]
        wanted.apiScheme = "OAuth"
        wanted.assertionAudience = .tokenEndpoint
        wanted.assertionIssuer = "DEF123GHIJ"
        wanted.assertionAlgorithm = "RS384"
        wanted.assertionParameter = .clientSecret
        wanted.tokenRequestHeaders = ["X-Identity-Domain": "yett"]
        wanted.apiRefusedStatuses = [203, 403]
        wanted.apiErrors = ["OAUTH_027": .denied, "Token expired": .ended]
        wanted.apiHeaders = ["Client-Id": "yett", "X-Version": "3"]
        wanted.pkce = .refused
        wanted.scopeParameter = "user_scope"
        wanted.scopeSeparator = ","
        wanted.scopesInResponse = .ignored
        wanted.renewalScopes = .sent
        wanted.tokenRequest = .query
        wanted.tokenType = "Bearer"
        wanted.tokensPath = MemberPath("authed_user")
        wanted.zeroLifetime = .unlimited
        wanted.renewal = .maybe
        wanted.userInfo = .required
        wanted.userInfoBody = #"{"query":"{ viewer { id } }"}"#
        wanted.userInfoScheme = "OAuth"
        wanted.identity = .init(subject: MemberPath("data.0.id"), name: MemberPath("data.0.login"), email: MemberPath("mail"))
        wanted.apiHostPath = MemberPath("instance_url")
        wanted.revocation = .bearer
        wanted.revokes = .access
        wanted.endSessionParameters = ["client_id": "{client_id}", "logout_uri": "{redirect}"]
        #expect(provider.dialect == wanted)
        // Every key is shown, under its own name.
        #expect(Set(wanted.shown.map(\.name)) == Set(ProviderKind.oidc.definition.keys.map(\.name)))
        #expect(wanted.shown.first { $0.name == "identity" }?.value == ["subject": "data.0.id", "name": "data.0.login", "email": "mail"])
    }

    @Test func bothKindsHaveTheSameKeys() {
        #expect(ProviderKind.oidc.definition.keys.map(\.name) == ProviderKind.oauth2.definition.keys.map(\.name))
    }

    /// Some services want the client's identifier beside Basic authentication, or the state of the sign-in once more.
    @Test func tokenRequestsMayNameTheClientAndTheState() throws {
        let line = "token_params = { client_id = \"{client_id}\", state = \"{callback.state}\" }\n"
        #expect(try Self.provider(Self.plain + line).dialect.tokenParameters == ["client_id": "yett", "state": "{callback.state}"])
    }

    @Test func clientWithoutASecretMayUseBasicAuthentication() throws {
        let provider = try Self.provider(Self.plain + "client_auth = \"client_secret_basic_empty\"\n")
        #expect(provider.clientAuthentication == .clientSecretBasicEmpty)
    }

    @Test func secretMayBeSentAsItIs() throws {
        let provider = try Self.provider(Self.plain + "client_auth = \"client_secret_basic_raw\"\nclient_secret_file = \"/a\"\n")
        #expect(provider.clientAuthentication == .clientSecretBasicRaw)
    }

    /// The fields go with each token, and a field of the request goes before them.
    @Test func requestsToTheAPIHaveTheFieldsOfTheConfiguration() throws {
        let lines = "api_scheme = \"OAuth\"\napi_headers = { Client-Id = \"{client_id}\", X-Version = \"3\" }\n"
        let provider = try Self.provider(Self.plain + lines)
        let issued = IssuedToken(
            token: Secret("at"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try #require(SessionName("work/ada")))
        let url = try #require(WebURL("https://api.example.org/"))
        func sent(_ headers: [(String, String)]) -> [String] {
            provider.resourceDialect.authorized(WebRequest(method: .get, url: url, headers: headers), with: issued).headers
                .map { "\($0.name): \($0.value)" }
        }
        #expect(sent([]) == ["Authorization: OAuth at", "Client-Id: yett", "X-Version: 3"])
        #expect(sent([("x-version", "2")]) == ["x-version: 2", "Authorization: OAuth at", "Client-Id: yett"])
    }

    /// Etsy wants its secret with each request. The configuration does not have it, and a client that does not authenticate may.
    @Test func secretIsFilledInWhenARequestIsBuilt() async throws {
        let folder = try TestFolder()
        try folder.write("secret", "a1b2c3d4e5\n")
        let provider = try Self.provider(
            Self.plain + """
                client_auth = "none"
                client_secret_file = "\(folder.file("secret"))"
                api_headers = { x-api-key = "{client_id}:{client_secret}" }

                """)
        #expect(provider.dialect.apiHeaders == ["x-api-key": "yett:{client_secret}"])
        let issued = IssuedToken(
            token: Secret("at"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try #require(SessionName("work/ada")))
        let request = WebRequest(method: .get, url: try #require(WebURL("https://api.example.org/")))
        let empty = provider.resourceDialect
        #expect(empty.authorized(request, with: issued).headers.map(\.name) == ["Authorization"])
        // No request without a token has the field, and no other program sets it.
        #expect(empty.credentialFields.contains("x-api-key"))
        let filled = try await provider.resourceDialect(in: [:]).authorized(request, with: issued).headers
        #expect(filled.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer at", "x-api-key: yett:a1b2c3d4e5"])
        withExtendedLifetime(folder) {}
    }

    /// A token in a field of the service's own has no scheme, and no request may set that field itself.
    @Test func tokenMayHaveAFieldOfItsOwn() throws {
        let provider = try Self.provider(Self.plain + "token_header = \"X-Example-Token\"\n")
        let issued = IssuedToken(
            token: Secret("at"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try #require(SessionName("work/ada")))
        let url = try #require(WebURL("https://api.example.org/"))
        let dialect = provider.resourceDialect
        let sent = dialect.authorized(WebRequest(method: .get, url: url), with: issued).headers
        #expect(sent.map { "\($0.name): \($0.value)" } == ["X-Example-Token: at"])
        #expect(dialect.credentialFields.isSuperset(of: ["authorization", "x-example-token"]))
        var bound = issued
        bound.tokenType = "DPoP"
        #expect(dialect.field(for: bound).name == "Authorization")
        let plain = try Self.provider(Self.plain + "token_header = \"Authorization\"\n").resourceDialect.field(for: issued)
        #expect(plain.name == "Authorization" && plain.value == Secret("at"))
    }

    @Test func oneRefusedStatusNeedsNoList() throws {
        #expect(try Self.provider(Self.plain + "api_refused_status = 403\n").dialect.apiRefusedStatuses == [403])
    }

    @Test func revocationEndpointMayNameTheClient() throws {
        func endpoint(_ client: String) throws -> String? {
            let lines = Self.plain.replacing("\"yett\"", with: "\"\(client)\"")
            let key = "revocation_endpoint = \"https://api.example.org/applications/{client_id}/token\"\n"
            return try Self.provider(lines + key).endpoints.revocation?.text
        }
        #expect(try endpoint("yett") == "https://api.example.org/applications/yett/token")
        #expect(try endpoint("a/../b?c") == "https://api.example.org/applications/a%2F..%2Fb%3Fc/token")
    }

    /// A setting that is refused.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var lines: String
        var says: String
        var hint: String

        var testDescription: String { lines }
    }

    @Test(arguments: [
        Refusal(lines: "pkce = \"refused\"\n", says: "pkce 'refused' needs a secret", hint: "client_secret_file"),
        Refusal(
            lines: "pkce = \"plain\"\n", says: "unknown pkce 'plain'", hint: "required, hex, refused; a service that takes only plain"),
        Refusal(
            lines: "client_auth = \"client_secret_basic_raw\"\n", says: "client_auth 'client_secret_basic_raw'", hint: "client_secret_file"),
        Refusal(
            lines: "client_secret_parameter = \"password\"\n", says: "unknown client_secret_parameter 'password'",
            hint: "client_secret, secret, app_secret"),
        Refusal(lines: "redirect_name = \"Ada-1\"\n", says: "'redirect_name' needs 'paste_redirect'", hint: "https"),
        Refusal(lines: "redirect_name = \"https://other.example/\"\n", says: "'redirect_name' must be one word", hint: "name"),
        Refusal(lines: "token_request = \"get\"\n", says: "unknown token_request 'get'", hint: "form, json, query"),
        Refusal(lines: "token_header = \"Cookie\"\n", says: "token_header may not set 'Cookie'", hint: "remove it"),
        Refusal(lines: "token_header = \"a b\"\n", says: "'a b' is no header field", hint: "ASCII"),
        Refusal(
            lines: "token_params = { device_id = \"{callback.device_id}\" }\n", says: "unknown placeholder in '{callback.device_id}'",
            hint: "{callback.NAME}"),
        Refusal(
            lines: "token_params = { client_id = \"other\" }\n", says: "token_params may not set 'client_id'", hint: "remove it"),
        Refusal(
            lines: "device_params = { client_id = \"{client_id}\" }\n", says: "device_params may not set 'client_id'", hint: "remove it"),
        Refusal(
            lines: "device_params = { state = \"{callback.state}\" }\n", says: "unknown placeholder in '{callback.state}'",
            hint: "{callback.NAME}"),
        Refusal(
            lines: "userinfo_params = { q = \"{access_token}\" }\n", says: "userinfo_params may not set 'q'",
            hint: "access_token, oauth_token, token"),
        Refusal(
            lines: "userinfo_params = { q = \"x{access_token}\" }\n", says: "unknown placeholder in 'x{access_token}'",
            hint: "{access_token}, {client_id}, {token.NAME}"),
        Refusal(
            lines: "userinfo = \"off\"\nuserinfo_params = { v = \"2\" }\n", says: "userinfo = \"off\" is set", hint: "remove it"),
        Refusal(lines: "redirect_parameter = \"url\"\n", says: "unknown redirect_parameter 'url'", hint: "redirect_uri, redirect_url"),
        Refusal(
            lines: "userinfo = \"access_token\"\nuserinfo_scheme = \"OAuth\"\n", says: "userinfo = \"access_token\" is set",
            hint: "remove it"),
        Refusal(lines: "client_id_parameter = \"a b\"\n", says: "'client_id_parameter' must be one word", hint: "parameter"),
        Refusal(lines: "refresh_endpoint = \"http://id.example.org/x\"\n", says: "'refresh_endpoint' is refused", hint: "https"),
        Refusal(lines: "long_lived_endpoint = \"http://id.example.org/x\"\n", says: "'long_lived_endpoint' is refused", hint: "https"),
        Refusal(lines: "renewal_grant = \"a b\"\n", says: "'renewal_grant' must be one word", hint: "parameter"),
        Refusal(
            lines: "access_token_parameter = \"token\"\n", says: "unknown access_token_parameter 'token'",
            hint: "access_token, fb_exchange_token"),
        Refusal(lines: "code_parameter = \"state\"\n", says: "code_parameter may not set 'state'", hint: "Yett sets it itself"),
        Refusal(
            lines: "code_parameter = \"a_code\"\ncallback_members = [\"a_code\"]\n", says: "callback_members may not set 'a_code'",
            hint: "Yett sets it itself"),
        Refusal(
            lines: "token_code_parameter = \"secret\"\n", says: "unknown token_code_parameter 'secret'", hint: "code, auth_code"),
        Refusal(
            lines: "api_headers = { x-api-key = \"{client_secret}\" }\n", says: "'api_headers' needs 'client_secret_file'",
            hint: "client_secret_file"),
        Refusal(
            lines: "client_secret_file = \"/a\"\napi_headers = { X-Shop = \"{client_secret}\" }\n",
            says: "'X-Shop' may not have the client secret", hint: "auth, key, secret or token"),
        Refusal(
            lines: "client_auth = \"none\"\nclient_secret_file = \"/a\"\n", says: "client_auth 'none' does not use a secret",
            hint: "remove one"),
        Refusal(lines: "callback_members = [\"code\"]\n", says: "callback_members may not set 'code'", hint: "Yett sets it itself"),
        Refusal(lines: "callback_members = [\"sub\"]\n", says: "callback_members may not set 'sub'", hint: "Yett sets it itself"),
        Refusal(lines: "callback_members = [\"a b\"]\n", says: "'callback_members' must be one word", hint: "parameter"),
        Refusal(lines: "api_headers = { Cookie = \"x\" }\n", says: "api_headers may not set 'Cookie'", hint: "remove it"),
        Refusal(lines: "api_headers = { Authorization = \"x\" }\n", says: "api_headers may not set 'Authorization'", hint: "remove it"),
        Refusal(
            lines: "client_auth = \"client_secret_basic_empty\"\nclient_secret_file = \"/a\"\n",
            says: "client_auth 'client_secret_basic_empty' does not use a secret", hint: "remove one"),
        Refusal(lines: "scope_separator = \", \"\n", says: "'scope_separator' must be one character", hint: "a comma"),
        Refusal(lines: "scope_separator = \"x\"\n", says: "'scope_separator' must be one character", hint: "a comma"),
        Refusal(lines: "scope_separator = \"é\"\n", says: "'scope_separator' must be one character", hint: "a comma"),
        Refusal(lines: "token_type = \"DPoP\"\n", says: "unknown token_type 'DPoP'", hint: "Bearer"),
        Refusal(lines: "tokens_at = \"a..b\"\n", says: "'a..b' is not the path", hint: "data.0.id"),
        Refusal(lines: "identity = { subject = \".\" }\n", says: "'.' is not the path", hint: "data.0.id"),
        Refusal(lines: "identity = { sub = \"id\" }\n", says: "unknown key 'sub'", hint: "subject"),
        Refusal(lines: "identity = \"id\"\n", says: "must be a table", hint: "identity"),
        Refusal(lines: "userinfo_body = \"{\"\n", says: "'userinfo_body' is not JSON", hint: "as a string"),
        Refusal(lines: "userinfo_scheme = \"Bearer x\"\n", says: "'userinfo_scheme' must be one word", hint: "OAuth"),
        Refusal(
            lines: "userinfo_headers = { Authorization = \"x\" }\n", says: "userinfo_headers may not set 'Authorization'", hint: "remove it"
        ),
        Refusal(lines: "userinfo_headers = { \"a b\" = \"x\" }\n", says: "'a b' is no header field", hint: "ASCII"),
        Refusal(lines: "userinfo_headers = { a = \"ä\" }\n", says: "'a' is no header field", hint: "ASCII"),
        Refusal(lines: "token_params = { code = \"x\" }\n", says: "token_params may not set 'code'", hint: "remove it"),
        Refusal(lines: "token_params = { client_secret = \"x\" }\n", says: "token_params may not set 'client_secret'", hint: "remove it"),
        Refusal(lines: "api_scheme = \"Bearer x\"\n", says: "'api_scheme' must be one word", hint: "OAuth"),
        Refusal(lines: "api_errors = { A = \"x\" }\n", says: "unknown A 'x'", hint: "ended"),
        Refusal(lines: "device_errors = { 410 = \"expired\" }\n", says: "unknown 410 'expired'", hint: "expired_token"),
        Refusal(
            lines: "token_request = \"query\"\ndevice_grant = \"none\"\n", says: "token_request = \"query\"", hint: "remove"),
        Refusal(
            lines: "device_poll_params = { device_code = \"x\" }\n", says: "device_poll_params may not set 'device_code'", hint: "remove it"
        ),
        Refusal(lines: "device_params = { client_secret = \"x\" }\n", says: "device_params may not set 'client_secret'", hint: "remove it"),
        Refusal(lines: "access_lifetime = 1\n", says: "access_lifetime", hint: "60"),
        Refusal(lines: "api_refused_status = [403, 500]\n", says: "'api_refused_status' is 500", hint: "203, 302, 400-499"),
        Refusal(lines: "revocation_parameter = \"a b\"\n", says: "'revocation_parameter' must be one word", hint: "access_token"),
        Refusal(lines: "userinfo = \"off\"\nuserinfo_body = \"null\"\n", says: "userinfo = \"off\" is set", hint: "remove it"),
        Refusal(lines: "revocation = \"none\"\nrevokes = \"both\"\n", says: "revocation = \"none\" is set", hint: "remove it"),
        Refusal(
            lines: "end_session_params = { a = \"{id_token}\" }\n", says: "unknown placeholder in '{id_token}'",
            hint: "{client_id}, {redirect}"),
        Refusal(
            lines: "issuer_pattern = \"https://id.example.org/{tenantid}\"\n", says: "'issuer_pattern' needs 'issuer'", hint: "issuer"),
        Refusal(lines: "discovery = \"https://id.example.org/x\"\n", says: "'discovery' needs 'issuer'", hint: "issuer"),
        Refusal(lines: "discovery = \"http://id.example.org/x\"\n", says: "'discovery' is refused", hint: "https"),
    ])
    func settingIsRefused(_ refusal: Refusal) throws {
        let failure = try #require(throws: AuthFailure.self) { try Self.provider(Self.plain + refusal.lines) }
        #expect(failure.kind == .configuration)
        #expect(failure.summary.contains(refusal.says), "\(failure.summary)")
        #expect(failure.hintText?.contains(refusal.hint) == true, "\(failure.hintText ?? "")")
    }

    @Test(arguments: ["https://id.example.org/v2.0", "https://other.example.org/{tenantid}/v2.0", "https://{tenantid}.example.org/v2.0"])
    func issuerPatternIsOfTheIssuersHost(_ pattern: String) throws {
        let failure = try #require(throws: AuthFailure.self) { try Self.provider(Self.openID + "issuer_pattern = \"\(pattern)\"\n") }
        #expect(failure.hintText?.contains("{tenantid}") == true, "\(failure.summary)")
    }

    @Test func otherKindsRefuseTheKeys() throws {
        let failure = try #require(throws: AuthFailure.self) {
            try Self.provider("kind = \"arcgis\"\nportal_url = \"https://gis.example.org\"\nidentity = { subject = \"id\" }\n")
        }
        #expect(failure.summary.contains("'identity' belongs to kind \"oidc\" and \"oauth2\""), "\(failure.summary)")
    }
}
