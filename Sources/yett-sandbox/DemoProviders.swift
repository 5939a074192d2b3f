import AuthModel
import Sandbox
import TOML

/// The providers of `yett demo`, in addition to the one that the user signs in to: clients of the OpenID provider with tokens of different
/// lifetimes, a vendor's system, and what the demo does there.
struct DemoProviders {
    let issuer: String
    let port: Int

    private static let openIDPlaces = DemoContent.places.filter { $0.vendor == nil }

    static let clients = openIDPlaces.map { place in
        SandboxClient(
            id: id(of: place), name: "Yett", redirects: ["http://127.0.0.1/callback", "http://[::1]/callback"], lifetimes: place.lifetimes)
    }

    private static func id(of place: DemoContent.Place) -> String { "yett-demo-\(place.name)" }

    /// Returns the name of a vendor's system in the demo.
    static func name(of vendor: Vendor) -> String { DemoContent.places.first { $0.vendor == vendor }?.name ?? vendor.rawValue }

    /// The configuration that makes the clients providers of Yett.
    var lines: [String] {
        Self.openIDPlaces.flatMap { place in
            [
                "", "[providers.\(place.name)]", "kind = \"oidc\"", "issuer = \(TOMLText.quoted(issuer))",
                "client_id = \(TOMLText.quoted(Self.id(of: place)))", "scopes = \(TOMLText.list(ProvidersNotice.scopes))",
                "api_hosts = \(TOMLText.list(["127.0.0.1:\(port)"]))",
            ] + (place.policy == .allow ? [] : ["policy = \(TOMLText.quoted(place.policy.rawValue))"])
        }
    }

    /// What the demo does before it opens: the sign-ins, the history that it writes, the tokens that it issues, and the renewals, of which one
    /// is refused.
    var json: JSONValue {
        .members(
            ("sign_ins", .array(signIns)), ("renewals", Self.list(DemoContent.renewals)), ("uses", Self.list(DemoContent.uses)),
            ("history", Self.list(DemoContent.history)))
    }

    private static func list(_ events: [DemoContent.Event]) -> JSONValue {
        .array(
            events.map { event in
                .members(
                    ("seconds_ago", .number(event.ago.wholeSeconds)), ("session", .string(event.session)),
                    ("program", JSONValue(event.program)), ("count", .number(event.count)), ("role", JSONValue(event.role?.text)))
            })
    }

    private var signIns: [JSONValue] {
        DemoContent.places.flatMap { place in
            place.signIns.compactMap { signIn in
                SandboxUser.standard.first { $0.username == signIn.user }.map { user in
                    .members(
                        ("seconds_ago", .number(signIn.ago.wholeSeconds)), ("provider", .string(place.name)),
                        ("user", .string(user.username)), ("password", .string(user.password)),
                        // A vendor's system does not say who signed in.
                        ("account", place.vendor == nil ? .null : .string(user.username)))
                }
            }
        }
    }
}
