import AuthModel
import Sandbox
import TOML

/// The configuration table that adds a vendor's sandbox as a provider.
struct VendorTable {
    var name: String
    let values: [(key: String, value: JSONValue)]
    /// Other modes of the same system, printed as comments: when to use each, and the keys that replace those in `values`.
    var alternatives: [(comment: String, values: [(key: String, value: JSONValue)])] = []

    var lines: [String] {
        ["[providers.\(name)]"] + Self.lines(values)
            + alternatives.flatMap { ["# \($0.comment)"] + Self.lines($0.values).map { "# " + $0 } }
    }

    private static func lines(_ values: [(key: String, value: JSONValue)]) -> [String] {
        values.map { "\($0.key) = \(toml($0.value))" }
    }

    var json: JSONValue { .object(values.map { .init($0.key, $0.value) }) }

    private static func toml(_ value: JSONValue) -> String {
        if let texts = value.strings { return TOMLText.list(texts) }
        return value.string.map(TOMLText.quoted) ?? value.text
    }
}

extension RunningVendor {
    var table: VendorTable {
        var values: [(key: String, value: JSONValue)] = [("kind", .string(vendor.rawValue))]
        switch vendor {
        case .mapsIndoors:
            let settings = MapsIndoorsSettings()
            values += [
                ("gateway_url", .string(origin + "/gateway")), ("api_key", .string(settings.apiKey)), ("extra_scopes", ["offline_access"]),
            ]
        case .beyondIdentity:
            values += [
                ("mode", "rp-initiated"), ("url", .string(origin + "/start?redirect={redirect}&state={state}")),
                ("signup_url", .string(origin + "/enroll")), ("recover_url", .string(origin + "/recover")),
            ]
        case .arcGIS:
            values += [("portal_url", .string(origin)), ("client_id", .string(ArcGISSettings().clientIDs.first ?? ""))]
        case .openWeb:
            values += [
                ("gateway_url", .string(origin)), ("spot_id", .string(OpenWebSettings().spotID)),
                ("publisher_login_url", .string(origin + "/api/login")), ("codeb_url", .string(origin + "/api/spotim-sso")),
                ("login_prompt", true),
            ]
        case .awsSSO:
            values += [
                ("start_url", .string(origin + "/start")), ("region", "us-east-1"), ("endpoint", .string(origin)),
            ]
        }
        return VendorTable(
            name: vendor.rawValue, values: values + [("api_hosts", [.string("127.0.0.1:\(port)")])], alternatives: alternatives)
    }

    private var alternatives: [(comment: String, values: [(key: String, value: JSONValue)])] {
        switch vendor {
        case .beyondIdentity:
            let client = JSONValue.string(BeyondIdentitySettings().clientID)
            let issuer = origin + "/v1/tenants/t1/realms/r1/applications/a1"
            return [
                (
                    "or, instead of these, if the program sends the code to the backend:",
                    [
                        ("mode", "direct"), ("authorization_endpoint", .string(origin + "/v2/authorize")), ("client_id", client),
                        ("scopes", ["openid"]), ("exchange_url", .string(origin + "/exchange")),
                    ]
                ),
                (
                    "or, for the newer generation:",
                    [
                        ("mode", "secure-access"), ("issuer", .string(issuer)), ("client_id", client),
                        ("tokens_url", .string(issuer + "/tokens")),
                    ]
                ),
            ]
        case .mapsIndoors, .arcGIS, .openWeb, .awsSSO: return []
        }
    }
}
