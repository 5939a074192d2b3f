import AuthModel
import Glibc
import OperatingSystem
import Sandbox
import TOML

/// The output of `yett-sandbox` once its providers run: the configuration that makes them providers of Yett.
struct ProvidersNotice {
    let running: RunningProviders
    /// Whether the providers of `yett demo` are among them.
    var isForDemo = false

    /// The public client that the OpenID provider knows.
    static let clientID = "yett"
    static let scopes = ["openid", "profile", "email", "offline_access"]

    private var issuer: String { running.openID.issuer }
    private var demo: DemoProviders? { isForDemo ? DemoProviders(issuer: issuer, port: running.openID.port) : nil }

    var lines: [String] {
        [
            "# test provider at \(issuer)", "[providers.sandbox]", "kind = \"oidc\"",
            "issuer = \(TOMLText.quoted(issuer))", "client_id = \(TOMLText.quoted(Self.clientID))",
            "scopes = \(TOMLText.list(Self.scopes))",
            "api_hosts = \(TOMLText.list(["127.0.0.1:\(running.openID.port)"]))",
        ] + (demo?.lines ?? [])
            + running.vendors.flatMap { vendor in
                ["", "# \(vendor.vendor.title), as far as its protocol is public"] + table(of: vendor).lines
            }
    }

    private func table(of vendor: any RunningVendor) -> VendorTable {
        var table = vendor.table
        if isForDemo { table.name = DemoProviders.name(of: vendor.vendor) }
        return table
    }

    var json: JSONValue {
        let demo = demo.map { [JSONValue.Member("demo", $0.json)] } ?? []
        let notice = JSONValue.members(
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
        return .object((notice.members ?? []) + demo)
    }
}

/// The output of `--list-vendors`: the endpoints and settings of the vendors' systems, from their own tables.
enum VendorPages {
    static var lines: [String] {
        ["Settings of every vendor"] + terms(Vendor.commonSettings) + Vendor.allCases.flatMap(page)
    }

    private static func page(_ vendor: Vendor) -> [String] {
        ["", "\(vendor.title): --vendor \(vendor.rawValue)"] + vendor.endpoints.map { "  " + $0 }
            + (vendor.otherSignInMethods.map { ["  " + $0] } ?? []) + terms(vendor.ownSettings)
    }

    private static func terms(_ settings: [(name: String, summary: String)]) -> [String] {
        let width = settings.map(\.name.count).max() ?? 0
        return settings.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)" }
    }
}

/// Writes to the standard streams.
enum Output {
    /// Writes lines to standard output.
    ///
    /// - Throws: `.configuration` if nothing reads them any more.
    static func lines(_ lines: [String]) throws(AuthFailure) {
        let text = lines.joined(separator: "\n") + "\n"
        do throws(SystemError) { try OpenFile.write(Array(text.utf8), to: STDOUT_FILENO) } catch {
            throw AuthFailure(.configuration, text: "cannot write to standard output")
        }
    }

    /// Writes a line to standard error.
    static func note(_ line: String) { try? OpenFile.write(Array("\(line)\n".utf8), to: STDERR_FILENO) }
}

/// Two columns of text under headings.
struct ProviderTable {
    let lines: [String]

    init(_ first: String, _ second: String, _ rows: [(String, String)]) {
        let width = rows.map(\.0.count).reduce(first.count, max) + 2
        lines = ([(first, second)] + rows).map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
    }
}
