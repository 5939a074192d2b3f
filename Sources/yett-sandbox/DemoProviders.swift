import AuthModel
import Sandbox
import TOML

/// The providers of `yett demo`, in addition to the one that the user signs in to: clients of the OpenID provider with tokens of different
/// lifetimes, and what the demo does there.
struct DemoProviders {
    let issuer: String
    let port: Int

    static let clients = DemoContent.places.map { place in
        SandboxClient(
            id: id(of: place), name: "Yett", redirects: ["http://127.0.0.1/callback", "http://[::1]/callback"], lifetimes: place.lifetimes)
    }

    private static func id(of place: DemoContent.Place) -> String { "yett-demo-\(place.name)" }

    /// The configuration that makes them providers of Yett.
    var lines: [String] {
        DemoContent.places.flatMap { place in
            [
                "", "[providers.\(place.name)]", "kind = \"oidc\"", "issuer = \(TOMLText.quoted(issuer))",
                "client_id = \(TOMLText.quoted(Self.id(of: place)))", "scopes = \(TOMLText.list(ProvidersNotice.scopes))",
                "api_hosts = \(TOMLText.list(["127.0.0.1:\(port)"]))",
            ] + (place.policy == .allow ? [] : ["policy = \(TOMLText.quoted(place.policy.rawValue))"])
        }
    }

    /// What the demo does at its start: the sign-ins, the history that it writes, the tokens that it issues, and the renewal that is refused.
    var json: JSONValue {
        .members(
            ("sign_ins", .array(signIns)), ("refused", .string(DemoContent.refused)),
            ("uses", .array(DemoContent.uses.map { .members(("session", .string($0.session)), ("program", .string($0.program))) })),
            (
                "history",
                .array(
                    DemoContent.history.map { event in
                        .members(
                            ("seconds_ago", .number(event.ago.wholeSeconds)), ("session", .string(event.session)),
                            ("program", JSONValue(event.program)), ("count", .number(event.count)))
                    })
            ))
    }

    private var signIns: [JSONValue] {
        DemoContent.places.flatMap { place in
            SandboxUser.standard.filter { place.users.contains($0.username) }.map { user in
                .members(("provider", .string(place.name)), ("user", .string(user.username)), ("password", .string(user.password)))
            }
        }
    }
}
