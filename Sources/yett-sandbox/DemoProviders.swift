import AuthModel
import Sandbox
import TOML

/// The providers of `yett demo`, in addition to the one that the user signs in to: clients of the OpenID provider with tokens of different
/// lifetimes, and the users whose sessions the demo opens there.
struct DemoProviders {
    /// A provider of the demo: one client.
    struct Place {
        let name: String
        let lifetimes: SandboxClient.Lifetimes
        let users: [String]
        var policy: TokenPolicy = .allow

        var client: SandboxClient {
            SandboxClient(
                id: "yett-demo-\(name)", name: "Yett", redirects: ["http://127.0.0.1/callback", "http://[::1]/callback"],
                lifetimes: lifetimes)
        }
    }

    static let places = [
        Place(name: "code", lifetimes: .init(accessToken: .seconds(28_800), refreshToken: month), users: ["ada", "grace"]),
        Place(name: "cluster", lifetimes: .init(accessToken: .seconds(3600), refreshToken: month), users: ["ada", "linus"]),
        Place(name: "registry", lifetimes: .init(accessToken: .seconds(43_200), refreshToken: month), users: ["ada"]),
        Place(name: "mail", lifetimes: .init(accessToken: .seconds(1800), refreshToken: month), users: ["chihiro"]),
        // They are renewed while the user looks.
        Place(name: "work", lifetimes: .init(accessToken: .seconds(90), refreshToken: month), users: ["ada", "grace"]),
        Place(name: "vault", lifetimes: .init(accessToken: .seconds(900), refreshToken: month), users: ["ada"], policy: .ask),
        // Ends at once, and has nothing to renew it with.
        Place(name: "staging", lifetimes: .init(accessToken: .seconds(1), refreshToken: nil), users: ["linus"]),
        // Its renewal is refused.
        Place(name: "billing", lifetimes: .init(accessToken: .seconds(600), refreshToken: .zero), users: ["grace"]),
    ]
    private static let month = Duration.seconds(30 * 86_400)

    let issuer: String
    let port: Int

    /// The configuration that makes them providers of Yett.
    var lines: [String] {
        Self.places.flatMap { place in
            [
                "", "[providers.\(place.name)]", "kind = \"oidc\"", "issuer = \(TOMLText.quoted(issuer))",
                "client_id = \(TOMLText.quoted(place.client.id))", "scopes = \(TOMLText.list(ProvidersNotice.scopes))",
                "api_hosts = \(TOMLText.list(["127.0.0.1:\(port)"]))",
            ] + (place.policy == .allow ? [] : ["policy = \(TOMLText.quoted(place.policy.rawValue))"])
        }
    }

    /// The sign-ins to make: provider, user and password.
    var signIns: JSONValue {
        .array(
            Self.places.flatMap { place in
                SandboxUser.standard.filter { place.users.contains($0.username) }.map { user in
                    JSONValue.members(
                        ("provider", .string(place.name)), ("user", .string(user.username)), ("password", .string(user.password)))
                }
            })
    }
}
