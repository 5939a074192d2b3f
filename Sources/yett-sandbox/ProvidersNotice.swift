import AuthModel
import Sandbox
import TOML

/// The notice of `yett-sandbox` once its providers run: the configuration that makes them providers of Yett.
struct ProvidersNotice {
    let running: RunningProviders

    /// The public client that the OpenID provider knows.
    static let clientID = "yett"
    static let scopes = ["openid", "profile", "email", "offline_access"]

    private var issuer: String { running.openID.issuer }

    var lines: [String] {
        [
            "# test provider at \(issuer)", "[providers.sandbox]", "kind = \"oidc\"",
            "issuer = \(TOMLText.quoted(issuer))", "client_id = \(TOMLText.quoted(Self.clientID))",
            "scopes = \(TOMLText.list(Self.scopes))",
            "api_hosts = \(TOMLText.list(["127.0.0.1:\(running.openID.port)"]))",
        ] + running.vendors.flatMap { vendor in ["", "# \(vendor.vendor.title), as far as its protocol is public"] + vendor.table.lines }
    }

    var json: JSONValue {
        .members(
            ("version", 1), ("issuer", .string(issuer)), ("port", .number(running.openID.port)), ("client_id", .string(Self.clientID)),
            ("scopes", JSONValue(Self.scopes)), ("configuration", .string(lines.joined(separator: "\n") + "\n")),
            (
                "users",
                .array(SandboxUser.standard.map { .members(("name", .string($0.username)), ("password", .string($0.password))) })
            ),
            (
                "vendors",
                .array(
                    running.vendors.map { vendor in
                        .members(
                            ("kind", .string(vendor.vendor.rawValue)), ("origin", .string(vendor.origin)), ("port", .number(vendor.port)),
                            ("settings", vendor.table.json))
                    })
            ))
    }
}
