public import AuthModel
import Glibc

/// A running `yett-sandbox`. It ends with the last reference.
public final class SandboxProvider: RunningProvider {
    /// The issuer that the sandbox prints.
    public let issuer: String
    /// The configuration that the sandbox prints.
    public let configuration: String
    /// The vendor servers that it also runs.
    public let vendors: [Vendor]
    private let home: TemporaryHome
    private let process: RunningProgram

    /// Starts the sandbox on a free port. Its tokens outlive the test, unless the options say how long they live.
    /// - Parameter options: command-line options, such as `--auto-approve ada`.
    public init(options: [String] = []) async throws {
        home = try TemporaryHome()
        // On a busy machine, many programs one after the other take longer than a token usually lives.
        let lifetime = options.contains("--access-lifetime") ? [] : ["--access-lifetime", "3000"]
        process = try home.program("yett-sandbox", ["--json"] + lifetime + options, limit: .seconds(1800)).start()
        let result = try await process.until { $0.output.contains("\n") }
        let notice = try JSONValue(strict: result.output)
        guard let issuer = notice["issuer"]?.string else {
            throw HarnessError("the sandbox did not name its issuer: \(result)")
        }
        self.issuer = issuer
        configuration = notice["configuration"]?.string ?? ""
        vendors = (notice["vendors"]?.array ?? []).compactMap(Vendor.init)
    }

    /// Returns a vendor's server. Needs the option `--vendor`.
    public func vendor(_ kind: String) throws -> Vendor {
        guard let vendor = vendors.first(where: { $0.kind == kind }) else { throw HarnessError("the sandbox runs no \(kind)") }
        return vendor
    }

    /// A vendor's server in the sandbox's process.
    public struct Vendor: Sendable {
        /// The name of the vendor.
        public let kind: String
        /// Scheme, host and port.
        public let origin: String
        /// The settings of its provider's table, as TOML.
        public let settings: String

        init?(_ json: JSONValue) {
            guard let kind = json["kind"]?.string, let origin = json["origin"]?.string, let table = json["settings"]?.members else {
                return nil
            }
            self.kind = kind
            self.origin = origin
            // JSON and TOML write strings, numbers, booleans and lists of them the same way.
            settings = table.map { "\($0.name) = \($0.value.text)" }.joined(separator: "\n")
        }

        /// Changes sandbox settings, given as a JSON object. Needs the option `--request-log`.
        public func turn(_ settings: String) async throws {
            let answer = try await Resource.post(settings, to: origin + "/__set")
            guard answer.status == 200 else { throw HarnessError("the setting was not changed: \(answer)") }
        }

        /// Returns the requests so far, in order. Needs the option `--request-log`.
        public func requests() async throws -> [Request] {
            let answer = try await Resource.get(origin + "/__log")
            guard let requests = answer.json?.array else { throw HarnessError("the sandbox shows no requests: \(answer)") }
            return requests.map(Request.init).filter { !$0.path.hasPrefix("/__") }
        }

        /// Returns the requests to one path.
        public func requests(at path: String) async throws -> [Request] { try await requests().filter { $0.path == path } }

        /// Returns the paths of the requests so far, in order.
        public func paths() async throws -> [String] { try await requests().map(\.path) }
    }

    /// A request that a vendor's server received.
    public struct Request: Sendable {
        private let json: JSONValue
        /// The path of the request.
        public let path: String

        init(_ json: JSONValue) {
            self.json = json
            path = json["path"]?.string ?? ""
        }

        /// Returns a query parameter.
        public func parameter(_ name: String) -> String? { first(name, of: "query") }
        /// Returns a form field.
        public func field(_ name: String) -> String? { first(name, of: "form") }
        /// Returns a header field; the case of its name does not matter.
        public func header(_ name: String) -> String? { first(name.lowercased(), of: "headers") { $0.lowercased() } }
        /// The body, if it is JSON.
        public var body: JSONValue? { json["body"]?.string.flatMap { try? JSONValue(strict: $0) } }

        /// Returns whether the request contains the text anywhere.
        public func holds(_ text: String) -> Bool { json.text.contains(text) }

        private func first(_ name: String, of list: String, spelled: (String) -> String = { $0 }) -> String? {
            json[list]?.array?.first { $0.array?.first?.string.map(spelled) == name }?.array?.last?.string
        }
    }

    /// Ends it, and waits until its port is closed.
    public func stop() async {
        process.signal(SIGTERM)
        _ = await process.finish()
    }

    deinit {
        process.signal(SIGTERM)
    }

    /// Waits until the device codes of the token requests so far satisfy a condition, and returns them in order. Needs the option
    /// `--request-log`.
    /// - Throws: if they never do.
    public func polls(until condition: ([String]) -> Bool) async throws -> [String] {
        var codes: [String] = []
        try await eventually("the sandbox was never asked for what the test waits for") {
            let answer = try await Resource.get(issuer + "/__log")
            guard let requests = answer.json?.array else { throw HarnessError("the sandbox shows no requests: \(answer)") }
            codes = requests.filter { $0["path"]?.string == "/token" }.compactMap { request in
                request["form"]?.array?.first { $0.array?.first?.string == "device_code" }?.array?.last?.string
            }
            return condition(codes)
        }
        return codes
    }

    /// The settings of the sandbox's OpenID provider, with its public client.
    public var settings: String {
        """
        kind = "oidc"
        issuer = "\(issuer)"
        client_id = "yett"
        scopes = ["openid", "profile", "email", "offline_access"]
        """
    }
}
