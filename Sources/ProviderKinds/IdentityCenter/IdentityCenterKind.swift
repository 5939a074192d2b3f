import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "aws-sso"`.
struct IdentityCenterKind: KindDefinition {
    let keys = [
        KindKey("start_url", "The start URL of the AWS access portal, such as https://example.awsapps.com/start."),
        KindKey("region", "The region of IAM Identity Center, such as eu-central-1."),
        KindKey("endpoint", "The URL of another service with the same interface, for tests. Default: AWS's own in the region."),
    ]

    /// Each sign-in registers its own redirect, so the user has none to register.
    var hasRedirect: Bool { false }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        guard let settings = configuration.kindSettings as? IdentityCenterConfiguration else {
            return OpenIDAdapter(configuration: configuration, environment: environment)
        }
        return IdentityCenterAdapter(configuration: configuration, settings: settings, environment: environment)
    }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        try table.refuse(
            [
                "issuer", "client_id", "scopes", "client_secret_file", "client_secret_command", "client_auth", "authorization_endpoint",
                "token_endpoint",
            ], because: "phrase.aws_sets_it")
        let hint = UserMessage("hint.aws_add_start_url")
        let text = try table.requiredText("start_url", hint: hint)
        guard let start = IdentityCenterConfiguration.startURL(text) else {
            // Its reason is more exact, if it has one.
            _ = try table.url("start_url")
            throw table.error("aws.start_url_refused", at: "start_url", hint: hint)
        }
        let region = try table.requiredText("region", hint: "hint.aws_add_region")
        guard IdentityCenterConfiguration.isRegion(region) else {
            throw table.error(UserMessage("aws.not_a_region", ["value": region]), at: "region", hint: "hint.aws_add_region")
        }
        var settings = IdentityCenterConfiguration(startURL: start, region: region)
        if table.has("endpoint") {
            guard let endpoint = try table.url("endpoint")?.asBase else {
                throw table.error("aws.endpoint_refused", at: "endpoint", hint: "hint.use_https_url_without_query")
            }
            settings.endpoint = endpoint
        }
        // Each sign-in registers its client.
        return KindReading(settings: settings, client: .none)
    }
}

/// The settings of `kind = "aws-sso"`: an instance of AWS IAM Identity Center.
struct IdentityCenterConfiguration: KindSettings {
    /// `start_url`, without a final slash.
    var startURL: WebURL
    /// `region` of the instance.
    var region: String
    /// `endpoint`: a service with the interface of AWS, in place of AWS's own.
    var endpoint: WebURL?

    /// A partition of AWS: a group of regions with accounts and names of its own.
    enum Partition {
        case standard
        case china
        case government

        init(region: String) {
            self = region.hasPrefix("cn-") ? .china : region.hasPrefix("us-gov-") ? .government : .standard
        }

        /// The domain of the partition's services.
        var domain: String { self == .china ? "amazonaws.com.cn" : "amazonaws.com" }

        /// The host of the sign-in to the console, and the host of the console.
        var console: (signIn: String, home: String) {
            switch self {
            case .standard: ("signin.aws.amazon.com", "console.aws.amazon.com")
            case .china: ("signin.amazonaws.cn", "console.amazonaws.cn")
            case .government: ("signin.amazonaws-us-gov.com", "console.amazonaws-us-gov.com")
            }
        }
    }

    /// Reads a start URL; `nil` for another text. A browser shows it with a fragment such as `#/?tab=accounts`, which is no part of it.
    static func startURL(_ text: String) -> WebURL? {
        WebURL(String(text.prefix { $0 != "#" })).flatMap { $0.isRequestable ? $0.asBase : nil }
    }

    /// Whether a text can be a region, and so be part of a host name: `eu-central-1`, `us-gov-west-1`.
    static func isRegion(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return (3...5).contains(parts.count) && text.utf8.count <= 32
            && parts.dropLast().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
            && parts.last.map { (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isASCIIDigit) } == true
    }

    var partition: Partition { Partition(region: region) }

    /// Returns the URL of a path of the sign-in service (`sso-oidc`).
    func signInService(_ path: String) throws(AuthFailure) -> WebURL { try url("oidc", path) }

    /// Returns the URL of a path of the portal (`sso`).
    func portal(_ path: String) throws(AuthFailure) -> WebURL { try url("portal.sso", path) }

    private func url(_ service: String, _ path: String) throws(AuthFailure) -> WebURL {
        guard let url = WebURL((endpoint?.text ?? "https://\(service).\(region).\(partition.domain)") + path) else {
            throw AuthFailure(.bug, "aws.endpoint_refused")
        }
        return url
    }

    var home: WebURL? { startURL }

    var console: RoleConsole? {
        let hosts = partition.console
        let federation = endpoint.map { $0.text } ?? "https://\(hosts.signIn)"
        guard let federation = WebURL(federation + "/federation"), let home = WebURL("https://\(hosts.home)/") else { return nil }
        return RoleConsole(federation: federation, home: home, signIn: startURL)
    }

    var shown: [(name: String, value: JSONValue)] {
        [
            ("start_url", .string(startURL.text)), ("region", .string(region)), ("endpoint", endpoint.map { .string($0.text) } ?? .null),
        ]
    }
}
