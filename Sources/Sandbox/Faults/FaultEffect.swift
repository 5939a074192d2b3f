import AuthModel

/// The effect of a fault on a correct value, and its description for a table.
struct FaultEffect<Value> {
    let summary: String
    /// Returns the value with the fault.
    let apply: (Value) -> Value

    /// Creates an effect. Default: the value stays as it is, because the fault takes effect elsewhere.
    init(_ summary: String, _ apply: @escaping (Value) -> Value = { $0 }) {
        self.summary = summary
        self.apply = apply
    }

    static func changing(_ summary: String, _ change: @escaping (inout Value) -> Void) -> Self {
        Self(summary) { value in
            var changed = value
            change(&changed)
            return changed
        }
    }
}

/// Effects on one member of a JSON object. The description follows the member's name.
extension FaultEffect where Value == JSONValue {
    static func missing(_ name: String, _ note: String = "") -> Self { Self("\(name) is missing" + note) { $0.removing(name) } }

    static func setting(_ name: String, _ value: JSONValue, _ description: String) -> Self {
        Self("\(name) \(description)") { $0.setting(name, value) }
    }

    static func number(_ name: String) -> Self { .setting(name, 42, "is a number") }

    static func plainHTTP(_ name: String, _ path: String) -> Self {
        .setting(name, .string("http://provider.example/" + path), "is plain http off loopback")
    }

    static func appending(_ suffix: String, to name: String, _ description: String? = nil) -> Self {
        Self("\(name) " + (description ?? "has \(suffix) appended")) { $0.appending(suffix, to: name) }
    }
}

extension FaultEffect where Value == SandboxResponse {
    /// The same effect on the JSON document in a response.
    static func body(_ effect: FaultEffect<JSONValue>) -> Self { Self(effect.summary) { $0.mapping(effect.apply) } }

    static var status200: Self { .changing("status 200 instead of 201") { $0.status = 200 } }
}
