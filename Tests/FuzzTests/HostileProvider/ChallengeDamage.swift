import Fuzzing

/// Damage to the challenge of a protected resource.
enum ChallengeDamage {
    private static let addresses = [
        "http://127.0.0.1:1/x", "https://evil.example/x", "http://evil.example/x", "file:///etc/passwd", "https://user@evil.example/x",
        "//evil.example/x", "", "https://evil.example/x#y", "\u{1B}[31m", "javascript:alert(1)", "http://169.254.169.254/latest", "/x", "?",
    ]

    static func apply(to answer: inout RawAnswer, using generator: inout SeededGenerator) {
        guard let field = answer.header("WWW-Authenticate") else { return }
        answer.setHeader("WWW-Authenticate", nil)
        for value in changed(field, using: &generator) { answer.headers.append(("WWW-Authenticate", value)) }
    }

    private static func changed(_ field: String, using generator: inout SeededGenerator) -> [String] {
        let parts = field.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        switch generator.below(14) {
        case 0: return []
        case 1: return [field, field]
        case 2: return ["Bearer resource_metadata=\"\(generator.pick(addresses))\"", field]
        case 3: return ["Bearer resource_metadata=\"\(generator.pick(addresses))\""]
        case 4: return [field + ", resource_metadata=\"\(generator.pick(addresses))\""]
        case 5: return [parts.joined()]
        case 6: return [String(field.dropLast(generator.below(field.count)))]
        case 7: return ["Basic realm=\"a, Bearer b\", " + field]
        case 8: return [generator.pick(["dPoP", "bearer", "Negotiate", "Bearer,", "B\u{E9}arer", ""]) + field.drop { $0 != " " }]
        case 9: return [field + ", scope=\"" + String(repeating: "a ", count: generator.pick([100, 9000])) + "\""]
        case 10: return [field + ", scope=\"\u{1B}[2J mcp \u{202E}\""]
        case 11: return (0..<generator.pick([40, 150])).map { _ in field }
        case 12: return [field.uppercased()]
        default: return [generator.pick([",,,", "=", "Bearer", "Bearer ", "Bearer =", "\"", "Bearer a=\"\\"])]
        }
    }
}
