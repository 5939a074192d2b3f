import AuthModel

/// Validates JSON values against the schemas of an OpenAPI document. It supports the part of JSON Schema that the document uses, and is
/// stricter in one point: a member that no schema describes is a fault.
struct SchemaCheck {
    let document: JSONValue

    /// Returns the faults of a value, one line each.
    func faults(_ value: JSONValue, against schema: JSONValue, at place: String = "$") -> [String] {
        if let reference = schema["$ref"]?.string {
            guard let target = resolve(reference) else { return ["\(place): no schema \(reference)"] }
            return faults(value, against: target, at: place)
        }
        if let choices = schema["anyOf"]?.array {
            let all = choices.map { faults(value, against: $0, at: place) }
            return all.contains([]) ? [] : all.flatMap { $0 }
        }
        var found: [String] = []
        let types = schema["type"]?.strings ?? schema["type"]?.string.map { [$0] }
        if let types, !types.contains(where: { Self.is(value, $0) }) { found.append("\(place): is not \(types)") }
        if let words = schema["enum"]?.strings, let text = value.string, !words.contains(text) {
            found.append("\(place): \(text) is no word of it")
        }
        if let elements = value.array, let items = schema["items"] {
            for (index, element) in elements.enumerated() { found += faults(element, against: items, at: "\(place)[\(index)]") }
        }
        guard let members = value.members, let properties = schema["properties"] else { return found }
        for name in schema["required"]?.strings ?? [] where value[name] == nil { found.append("\(place).\(name): is missing") }
        for member in members {
            guard let property = properties[member.name] else {
                found.append("\(place).\(member.name): is not described")
                continue
            }
            found += faults(member.value, against: property, at: "\(place).\(member.name)")
        }
        return found
    }

    private func resolve(_ reference: String) -> JSONValue? {
        var value: JSONValue? = document
        for part in reference.split(separator: "/").dropFirst() { value = value?[String(part)] }
        return value
    }

    private static func `is`(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"), (.object, "object"), (.number, "number"): true
        case (.number, "integer"): value.integer != nil
        default: false
        }
    }
}
