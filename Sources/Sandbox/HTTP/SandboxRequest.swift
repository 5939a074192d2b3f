import AuthModel

/// A request as the endpoints receive it.
struct SandboxRequest: Sendable {
    var method: String
    /// The path, without the query, still percent-encoded.
    var path: String
    var query: [(name: String, value: String)]
    /// The fields of a form body; empty for any other body.
    var form: [(name: String, value: String)]
    var headers: [(name: String, value: String)]
    /// The body as received, of any type.
    var body: [UInt8] = []
    /// The decoded path segments that match the `{name}`s of the route.
    var segments: [String: String] = [:]

    /// Returns the only value of that name; `nil` if there is none or more than one (RFC 6749 section 3.1).
    static func single(_ name: String, in pairs: [(name: String, value: String)]) -> String? {
        let values = pairs.filter { $0.name == name }
        return values.count == 1 ? values.first?.value : nil
    }

    /// Returns the names that occur more than once.
    static func repeated(in pairs: [(name: String, value: String)]) -> [String] {
        var seen: Set<String> = []
        return pairs.map(\.name).filter { !seen.insert($0).inserted }
    }

    func field(_ name: String) -> String? { Self.single(name, in: form) }
    func parameter(_ name: String) -> String? { Self.single(name, in: query) }

    /// Returns the value of the first header field with this name, ignoring case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns the values of a cookie; a browser may send more than one (RFC 6265 section 5.4).
    func cookies(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
    }
}
