public import AuthModel
import Glibc

/// The program `yett-sandbox`. It ends with the last reference.
public final class SandboxProvider: RunningProvider {
    public let issuer: String
    /// The configuration that it prints.
    public let configuration: String
    /// The vendors' systems that run beside it.
    public let vendors: [Vendor]
    private let home: TemporaryHome
    private let process: RunningProgram

    /// Starts it on a free port.
    /// - Parameter options: those of the command, such as `--auto-approve ada`.
    public init(options: [String] = []) async throws {
        home = try TemporaryHome()
        process = try home.program("yett-sandbox", ["--json"] + options, limit: .seconds(600)).start()
        let result = try await process.until { $0.output.contains("\n") }
        let notice = try JSONValue(strict: result.output)
        guard let issuer = notice["issuer"]?.string else {
            throw HarnessError("the sandbox did not name its issuer: \(result)")
        }
        self.issuer = issuer
        configuration = notice["configuration"]?.string ?? ""
        vendors = (notice["vendors"]?.array ?? []).compactMap(Vendor.init)
    }

    /// A vendor's system. Wants `--vendor` or none of it.
    public func vendor(_ kind: String) throws -> Vendor {
        guard let vendor = vendors.first(where: { $0.kind == kind }) else { throw HarnessError("the sandbox runs no \(kind)") }
        return vendor
    }

    /// One vendor's system, in the sandbox's process.
    public struct Vendor: Sendable {
        public let kind: String
        /// Scheme, host and port.
        public let origin: String
        /// The keys of its provider's table, as TOML.
        public let settings: String

        init?(_ json: JSONValue) {
            guard let kind = json["kind"]?.string, let origin = json["origin"]?.string, let table = json["settings"]?.members else {
                return nil
            }
            self.kind = kind
            self.origin = origin
            // What JSON and TOML write alike: texts, numbers, truth values, and lists of them.
            settings = table.map { "\($0.name) = \($0.value.text)" }.joined(separator: "\n")
        }

        /// Turns knobs, given as a JSON object. Wants `--request-log`.
        public func turn(_ settings: String) async throws {
            let answer = try await Resource.post(settings, to: origin + "/__set")
            guard answer.status == 200 else { throw HarnessError("the knob was not turned: \(answer)") }
        }

        /// What was asked for so far, in its order. Wants `--request-log`.
        public func requests() async throws -> [Request] {
            let answer = try await Resource.get(origin + "/__log")
            guard let requests = answer.json?.array else { throw HarnessError("the sandbox shows no requests: \(answer)") }
            return requests.map(Request.init).filter { !$0.path.hasPrefix("/__") }
        }

        /// What was asked for at one path.
        public func requests(at path: String) async throws -> [Request] { try await requests().filter { $0.path == path } }

        /// The paths that were asked for so far, in their order.
        public func paths() async throws -> [String] { try await requests().map(\.path) }
    }

    /// A request that a vendor's system was sent.
    public struct Request: Sendable {
        private let json: JSONValue
        public let path: String

        init(_ json: JSONValue) {
            self.json = json
            path = json["path"]?.string ?? ""
        }

        /// A parameter of the query.
        public func parameter(_ name: String) -> String? { first(name, of: "query") }
        /// A field of the form.
        public func field(_ name: String) -> String? { first(name, of: "form") }
        /// A header field, whatever the case of its name.
        public func header(_ name: String) -> String? { first(name.lowercased(), of: "headers") { $0.lowercased() } }
        /// The body, where it is JSON.
        public var body: JSONValue? { json["body"]?.string.flatMap { try? JSONValue(strict: $0) } }

        /// Whether a text stands anywhere in it.
        public func holds(_ text: String) -> Bool { json.text.contains(text) }

        private func first(_ name: String, of list: String, spelled: (String) -> String = { $0 }) -> String? {
            json[list]?.array?.first { $0.array?.first?.string.map(spelled) == name }?.array?.last?.string
        }
    }

    deinit {
        process.signal(SIGTERM)
    }

    /// The device codes of the token requests so far, in their order, once they satisfy a condition. Wants `--request-log`.
    /// - Throws: when they do not within half a minute.
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

    public var settings: String {
        """
        kind = "oidc"
        issuer = "\(issuer)"
        client_id = "yett"
        scopes = ["openid", "profile", "email", "offline_access"]
        """
    }
}
