import AuthModel
import Localization
@testable import TerminalApp
import TerminalUI
import Testing
import Themes

@testable import CommandLineTool
@testable import UserConfiguration

/// A configuration text that is refused, with the line and the messages.
struct Refusal: Sendable, CustomTestStringConvertible {
    var text: String
    /// The line that the error names.
    var line: Int
    var says: String
    var hint: String

    init(_ text: String, line: Int, says: String, hint: String) {
        self.text = text
        self.line = line
        self.says = says
        self.hint = hint
    }

    var testDescription: String { says }
}

struct ConfigurationTests {
    static let reader = ConfigurationReader(name: "config.toml", directory: "/etc/yett", home: "/h", rules: .standard)

    static func provider(_ lines: String) -> String { "[providers.work]\n" + lines }
    static let start = "kind = \"oidc\"\nissuer = \"https://id.example.org\"\nclient_id = \"yett\"\n"

    @Test func emptyTextIsTheDefaultConfiguration() throws {
        #expect(try Self.reader.read("") == Configuration())
    }

    @Test func defaultThemeDependsOnTheTerminalUnlessOneIsSet() throws {
        let empty = try Self.reader.read("[ui]\nmouse = false\n")
        #expect(empty.withDefaultTheme(onLightBackground: false).interface.theme == "gate")
        let light = empty.withDefaultTheme(onLightBackground: true).interface.theme
        #expect(light == "daylight" && Themes.all.contains { $0.name == light })
        let set = try Self.reader.read("[ui]\ntheme = \"gate\"\n")
        #expect(set.withDefaultTheme(onLightBackground: true) == set)
    }

    @Test func keysCanBeAssignedToActions() throws {
        let configuration = try Self.reader.read(
            "[keys.sessions]\nrenew = \"ctrl-r\"\nsign-out = [\"X\", \"f8\"]\n[keys.everywhere]\ntheme = []\n")
        #expect(configuration.keys["sessions", "renew"] == ["ctrl-r"])
        #expect(configuration.keys["sessions", "sign-out"] == ["X", "f8"])
        #expect(configuration.keys["everywhere", "theme"] == [])
    }

    @Test func keysOfAScreenWorkUnderItsFormerName() throws {
        #expect(try Self.reader.read("[keys.front-door]\nactivity = \"f7\"\n").keys["home", "activity"] == ["f7"])
    }

    @Test(arguments: [
        Refusal("[keys.sessions]\nrenew = \"o\"", line: 2, says: "o is already the key of sign-out", hint: "? shows the keys"),
        Refusal("[keys.sessions]\n\nrenw = \"R\"", line: 3, says: "unknown key 'renw'", hint: "did you mean 'renew'?"),
        Refusal("[keys.sesssions]\nrenew = \"R\"", line: 1, says: "unknown key 'sesssions'", hint: "did you mean 'sessions'?"),
        Refusal("[keys.sessions]\nrenew = \"hyper-r\"", line: 2, says: "'hyper-r' is not a key", hint: "ctrl-r"),
        Refusal(
            "[keys.everywhere]\nquit = \"ctrl-c\"", line: 2, says: "ctrl-c has the same meaning on every screen", hint: "? shows the keys"),
        Refusal("[ui]\nlanguage = \"fr\"", line: 2, says: "unsupported language 'fr'", hint: "auto, en, de, es"),
    ])
    func mistakesInKeysAreReportedWithTheirLine(refusal: Refusal) throws {
        let failure = try #require(throws: AuthFailure.self) { try Self.reader.read(refusal.text) }
        #expect(failure.summary.hasPrefix("config.toml:\(refusal.line): "), "\(failure.summary)")
        #expect(failure.summary.contains(refusal.says), "\(failure.summary)")
        #expect(failure.hintText?.contains(refusal.hint) == true, "\(failure.hintText ?? "")")
    }

    @Test func readsEveryKey() throws {
        let configuration = try Self.reader.read(
            """
            [ui]
            theme = "daylight"
            guest_prompt = false
            [store]
            seal = "key-file"
            [providers.work]
            kind = "oidc"
            issuer = "https://id.example.org/tenant"
            client_id = "yett"
            client_secret_file = "~/secret"
            client_auth = "client_secret_basic"
            scopes = ["openid", "offline_access"]
            redirect = ["http://127.0.0.1:8400/callback", "http://[::1]/callback"]
            ca_file = "corp.pem"
            api_hosts = ["API.example.org", "api.example.org:8443"]
            sign_in_hosts = ["Login.example.org", "id.example.org:8443"]
            browser = "firefox --profile work"
            private = true
            login_timeout = 60
            par = "auto"
            dpop = "off"
            extra_params = { audience = "https://api.example.org" }
            sign_up_url = "https://id.example.org/join"
            revocation_endpoint = "https://id.example.org/revoke"
            [providers.api]
            kind = "exchange"
            from = "work/ada"
            grant = "jwt-bearer"
            subject_token = "id_token"
            audience = "api"
            resource = ["https://api.example.org/", "https://api.example.org/v2"]
            issuer = "https://id.example.org/tenant"
            client_id = "yett"
            client_auth = "private_key_jwt"
            client_key_file = "~/key.pem"
            client_key_id = "k1"
            par = "required"
            [providers.plain]
            kind = "oauth2"
            client_id = "yett"
            client_secret_command = "pass show plain"
            authorization_endpoint = "http://127.0.0.1:9000/authorize"
            token_endpoint = "http://127.0.0.1:9000/token"
            """)
        #expect(configuration.interface.theme == "daylight")
        #expect(!configuration.interface.guestPrompt)
        #expect(configuration.seal == .keyFile)
        let work = try #require(ProviderName("work"))
        let plain = try #require(ProviderName("plain"))
        let api = try #require(ProviderName("api"))
        #expect(configuration.providers.map(\.name) == [api, plain, work])
        let made = try #require(configuration.provider(api))
        #expect(
            made.exchange
                == .init(from: SessionName("work/ada"), grant: .assertion, presented: .id, audiences: ["api"]))
        #expect(made.resources == ["https://api.example.org/", "https://api.example.org/v2"])
        #expect(made.clientAuthentication == .privateKeyJWT)
        #expect(made.clientKeyFile == "/h/key.pem")
        #expect(made.clientKeyID == "k1")
        #expect(made.pushedRequests == .required)
        let provider = try #require(configuration.provider(work))
        #expect(provider.issuer?.text == "https://id.example.org/tenant")
        #expect(provider.clientSecret == .file("/h/secret"))
        #expect(provider.clientAuthentication == .clientSecretBasic)
        #expect(provider.scopes == ["openid", "offline_access"])
        #expect(provider.redirects.map(\.description) == ["http://127.0.0.1:8400/callback", "http://[::1]/callback"])
        #expect(provider.caFile == "/etc/yett/corp.pem")
        #expect(provider.apiHosts == ["api.example.org", "api.example.org:8443"])
        #expect(provider.signInHosts == ["login.example.org", "id.example.org:8443"])
        #expect(provider.browser == "firefox --profile work")
        #expect(provider.isPrivate)
        #expect(provider.proofs == .off)
        #expect(provider.loginTimeout == .seconds(60))
        #expect(provider.extraParameters == ["audience": "https://api.example.org"])
        #expect(provider.signUpURL?.text == "https://id.example.org/join")
        #expect(provider.endpoints.revocation?.text == "https://id.example.org/revoke")
        let other = try #require(configuration.provider(plain))
        #expect(other.clientSecret == .command(["pass", "show", "plain"]))
        #expect(other.endpoints.token?.text == "http://127.0.0.1:9000/token")
        #expect(other.scopes.isEmpty)
    }

    @Test func missingKeysHaveDefaults() throws {
        let provider = try #require(try Self.reader.read(Self.provider(Self.start)).providers.first)
        #expect(provider.scopes == ["openid"])
        #expect(provider.redirects == [.standard])
        #expect(provider.clientAuthentication == .auto)
        #expect(provider.loginTimeout == .seconds(300))
        #expect(!provider.isPrivate)
    }

    @Test func readsTheAgentSettings() throws {
        let agent = try Self.reader.read(
            "[agent]\nlock_after = 900\nidle_exit = 86400\nhook = [\"/bin/tell\", \"me\"]\nnotify = true\noidc_agent_socket = true\n"
        ).agent
        var wanted = Configuration.Agent()
        wanted.lockAfter = .seconds(900)
        wanted.idleExit = .seconds(86_400)
        wanted.hook = ["/bin/tell", "me"]
        wanted.notifies = true
        wanted.servesOIDCAgent = true
        #expect(agent == wanted)
        // A text is one word: no shell splits it.
        #expect(try Self.reader.read("[agent]\nhook = \"/bin/tell me\"\n").agent.hook == ["/bin/tell me"])
        #expect(try Self.reader.read("").agent == Configuration.Agent())
    }

    static let refusals: [Refusal] = [
        Refusal("[agent]\nlock_aftr = 1\n", line: 2, says: "unknown key 'lock_aftr' in [agent]", hint: "did you mean 'lock_after'?"),
        Refusal("[agent]\nlock_after = 0\n", line: 2, says: "'lock_after' is 0", hint: "use a number from 1"),
        Refusal("[agent]\nlock_after = \"15 min\"\n", line: 2, says: "'lock_after' must be an integer", hint: ""),
        Refusal("[agent]\nhook = []\n", line: 2, says: "'hook' contains no command", hint: "or leave it out"),
        Refusal("[agent]\noidc_agent_socket = 1\n", line: 2, says: "'oidc_agent_socket' must be true or false", hint: ""),
        Refusal("[agent]\nnotify = 1\n", line: 2, says: "'notify' must be true or false", hint: ""),
        Refusal("[ui]\nx = 1:\n", line: 2, says: "'1:' is not a value", hint: "in quotes"),
        Refusal("# x\n[(", line: 2, says: "a name is missing here", hint: "letters, digits"),
        Refusal("[ui]\ntheme = 07:32:00\n", line: 2, says: "'theme' must be a string in quotes", hint: ""),
        Refusal(
            "[ui]\ntheme = \"gate\"\n[storr]\n", line: 3, says: "unknown key 'storr' in the configuration", hint: "did you mean 'store'?"),
        Refusal("[ui]\n\nteme = \"gate\"\n", line: 3, says: "unknown key 'teme' in [ui]", hint: "did you mean 'theme'?"),
        Refusal("[ui]\nguest_prompt = \"yes\"\n", line: 2, says: "'guest_prompt' must be true or false", hint: ""),
        Refusal("[ui]\ntheme = \"../../etc\"\n", line: 2, says: "is not a theme name", hint: "yett theme list"),
        Refusal("ui = 3\n", line: 1, says: "[ui] must be a table", hint: "write it as [ui]"),
        Refusal("[store]\nseal = \"keyfile\"\n", line: 2, says: "unknown seal 'keyfile'", hint: "did you mean 'key-file'?"),
        Refusal(
            "[store]\nseal = \"tpm\"\n", line: 2, says: "unknown seal 'tpm'",
            hint: "auto, passphrase, secret-service, system, security-key, key-file, memory"),
        Refusal(provider("knd = \"oidc\"\n" + start), line: 2, says: "unknown key 'knd' in [providers.work]", hint: "did you mean 'kind'?"),
        Refusal(provider("kind = \"oidc\"\nisuer = \"x\"\n"), line: 3, says: "unknown key 'isuer'", hint: "did you mean 'issuer'?"),
        Refusal(provider("kind = \"saml\"\n"), line: 2, says: "unknown kind 'saml'", hint: "known values: oidc, oauth2"),
        Refusal(provider("issuer = \"https://a\"\n"), line: 1, says: "'kind' is missing", hint: "kind = \"oidc\""),
        Refusal(provider("kind = \"oidc\"\nclient_id = \"a\"\n"), line: 1, says: "'issuer' is missing", hint: "https URL"),
        Refusal(provider("kind = \"oidc\"\nissuer = \"https://a.example\"\n"), line: 1, says: "'client_id' is missing", hint: "client_id"),
        Refusal(provider("kind = \"oauth2\"\nclient_id = \"a\"\n"), line: 1, says: "'authorization_endpoint' is missing", hint: "issuer"),
        Refusal(
            provider("kind = \"oidc\"\nissuer = \"http://id.example.org\"\nclient_id = \"a\"\n"), line: 3,
            says: "the issuer 'http://id.example.org' is refused", hint: "loopback addresses"),
        Refusal(
            provider("kind = \"oidc\"\nissuer = \"http://a.localhost:8080\"\nclient_id = \"a\"\n"), line: 3, says: "is refused",
            hint: "loopback addresses and localhost only"),
        Refusal(
            provider("kind = \"oidc\"\nissuer = \"https://a.example?x=1\"\nclient_id = \"a\"\n"), line: 3, says: "is refused",
            hint: "without a query or fragment"),
        Refusal(
            provider(start + "client_secret = \"s3cret\"\n"), line: 5, says: "client_secret does not belong", hint: "client_secret_file"),
        Refusal(provider(start + "client_auth = \"client_secret_basic\"\n"), line: 5, says: "needs a secret", hint: "client_secret_file"),
        Refusal(
            provider(start + "client_secret_file = \"a\"\nclient_secret_command = [\"b\"]\n"), line: 6, says: "exclude each other",
            hint: "remove one"),
        Refusal(
            provider(start + "paste_redirect = \"https://a.example/\"\nredirect = \"http://127.0.0.1/\"\n"), line: 5,
            says: "redirect and paste_redirect exclude each other", hint: "remove one"),
        Refusal(provider(start + "scopes = \"openid\"\n"), line: 5, says: "'scopes' must be a list", hint: ""),
        Refusal(
            provider(start + "scopes = [\"openid email\"]\n"), line: 5, says: "'openid email' is not a scope",
            hint: "write one scope per string"),
        Refusal(provider(start + "scopes = [\"email\"]\n"), line: 5, says: "needs the scope 'openid'", hint: "oauth2"),
        Refusal(provider(start + "redirect = \"https://a.example/cb\"\n"), line: 5, says: "is refused", hint: "127.0.0.1"),
        Refusal(
            provider(start + "paste_redirect = \"http://127.0.0.1/cb\"\n"), line: 5, says: "the paste_redirect", hint: "an https page"),
        Refusal(provider(start + "redirect = []\n"), line: 5, says: "empty list", hint: "remove it"),
        Refusal(provider(start + "redirect = \"http://10.0.0.1/cb\"\n"), line: 5, says: "is refused", hint: "127.0.0.1"),
        Refusal(provider(start + "api_hosts = [\"https://a.example\"]\n"), line: 5, says: "is not a host", hint: "api.example.org"),
        Refusal(provider(start + "api_hosts = [\"a.example/path\"]\n"), line: 5, says: "is not a host", hint: "api.example.org"),
        Refusal(provider(start + "login_timeout = \"300\"\n"), line: 5, says: "must be an integer", hint: ""),
        Refusal(provider(start + "login_timeout = 300.5\n"), line: 5, says: "must be an integer", hint: ""),
        Refusal(provider(start + "login_timeout = 0\n"), line: 5, says: "'login_timeout' is 0", hint: "from 1 to 86400"),
        Refusal(provider(start + "policy = \"aks\"\n"), line: 5, says: "unknown policy 'aks'", hint: "known values: allow, ask, deny"),
        Refusal(provider(start + "private = \"yes\"\n"), line: 5, says: "'private' must be true or false", hint: ""),
        Refusal(provider(start + "private = 1979-05-27\n"), line: 5, says: "'private' must be true or false", hint: ""),
        Refusal(provider(start + "browser = \"\"\n"), line: 5, says: "'browser' is empty", hint: "remove the key"),
        Refusal(provider(start + "extra_params = { state = \"x\" }\n"), line: 5, says: "may not set 'state'", hint: "every sign-in"),
        Refusal(
            provider(start + "[providers.work.extra_params]\naudience = \"a\"\nredirect_uri = \"x\"\n"), line: 7,
            says: "may not set 'redirect_uri'", hint: "every sign-in"),
        Refusal(provider(start + "par = \"always\"\n"), line: 5, says: "unknown par 'always'", hint: "auto, required, off"),
        Refusal(provider(start + "dpop = \"always\"\n"), line: 5, says: "unknown dpop 'always'", hint: "off, required"),
        Refusal(
            provider(start + "dpop = \"auto\"\n"), line: 5, says: "dpop 'auto' is no longer supported", hint: "write dpop = \"required\""),
        Refusal(provider(start + "client_auth = \"private_key_jwt\"\n"), line: 5, says: "needs client_key_file", hint: "PEM"),
        Refusal(provider(start + "client_auth = \"tls\"\n"), line: 5, says: "needs client_certificate_file", hint: "PEM"),
        Refusal(provider(start + "resource = \"api\"\n"), line: 5, says: "the resource 'api' is not a URL", hint: "https"),
        Refusal(provider(start + "from = \"other\"\n"), line: 5, says: "'from' belongs to kind", hint: "change kind"),
        Refusal(provider(start + "sign_up_url = \"javascript:alert(1)\"\n"), line: 5, says: "'sign_up_url' is refused", hint: "https"),
        Refusal(provider(start + "token_endpoint = \"http://id.example.org/t\"\n"), line: 5, says: "is refused", hint: "use https"),
        Refusal("[providers.\"a b\"]\nkind = \"oidc\"\n", line: 1, says: "'a b' is not a provider name", hint: "letters"),
        Refusal(
            provider(start) + "[providers.again]\n" + start, line: 7, says: "the same issuer and client_id as 'work'", hint: "remove one"),
        Refusal("[ui]\ntheme = gate\n", line: 2, says: "config.toml:2: 'gate' is not a value", hint: "in quotes"),
        Refusal("[ui]\ntheme = \"a\"\ntheme = \"b\"\n", line: 3, says: "config.toml:3: 'theme' is defined twice", hint: "keep one"),
        Refusal("[ui]\ntheme = \"\u{1B}[31m\"\n", line: 2, says: "control character", hint: "remove it"),
    ]

    @Test(arguments: refusals)
    func invalidConfigurationIsRefusedWithLineAndHint(refusal: Refusal) throws {
        let failure = try #require(throws: AuthFailure.self) { try Self.reader.read(refusal.text) }
        #expect(failure.kind == .configuration)
        #expect(failure.summary.hasPrefix("config.toml:\(refusal.line): "), "\(failure.summary)")
        #expect(failure.summary.contains(refusal.says), "\(failure.summary)")
        #expect((failure.hintText ?? "").contains(refusal.hint), "\(failure.hintText ?? "")")
        #expect(!failure.summary.contains("\n") && failure.summary.last != ".")
    }

    @Test func escapedControlCharacterIsRefused() throws {
        let failure = try #require(throws: AuthFailure.self) { try Self.reader.read("[ui]\ntheme = \"\\u001b\"\n") }
        #expect(failure.summary.contains("control character"))
    }

    @Test func sameIssuerWithAnotherClientIsAnotherProvider() throws {
        let text = Self.provider(Self.start) + "[providers.again]\n" + Self.start.replacing("\"yett\"", with: "\"other\"")
        #expect(try Self.reader.read(text).providers.count == 2)
    }
}
