import AuthModel
import Fuzzing

/// Damage to the parameters of a callback.
enum CallbackDamage {
    static func apply(to answer: inout RawAnswer, using generator: inout SeededGenerator) {
        guard let location = answer.header("Location"), let mark = location.firstIndex(of: "?") else { return }
        let address = String(location[..<mark])
        let pairs = (FormEncoding.decode(location[location.index(after: mark)...]) ?? []).map { ($0.name, $0.value) }
        guard !pairs.isEmpty else { return }
        answer.setHeader("Location", changed(address, pairs, using: &generator))
    }

    private static func changed(_ address: String, _ pairs: [(String, String)], using generator: inout SeededGenerator) -> String {
        let index = generator.below(pairs.count)
        let (name, value) = pairs[index]
        func query(_ pairs: [(String, String)]) -> String { address + "?" + FormEncoding.encode(pairs) }
        func replacing(_ pair: (String, String)) -> String {
            var pairs = pairs
            pairs[index] = pair
            return query(pairs)
        }
        let kept = pairs.filter { $0.0 == "state" || $0.0 == "iss" }
        switch generator.below(20) {
        case 0: return query(pairs.filter { $0.0 != name })
        case 1: return query(pairs + [(name, value)])
        case 2: return query(pairs + [(name, generator.pick(["", "x", value + "1", "\u{1B}"]))])
        case 3: return query([(name, value + "1")] + pairs)
        case 4: return replacing((name, value + "1"))
        case 5: return replacing((name, String(value.dropLast())))
        case 6: return replacing((name, generator.pick(["", " " + value, value + "\n", value.uppercased(), value + "/", "\u{0}", "é"])))
        case 7: return replacing((name, pairs[generator.below(pairs.count)].1))
        case 8: return replacing((name.uppercased(), value))
        case 9: return replacing((name + "[]", value))
        case 10: return query(pairs + [("error", generator.pick(["access_denied", "", "\u{1B}[2J"]))])
        case 11:
            let text = "\u{1B}]0;x\u{7}<script>\u{202E}\r\nyett: error: no"
            return query(
                kept + [("error", generator.pick(["access_denied", "login_required", "x\u{1B}[1m", ""])), ("error_description", text)])
        case 12: return query(pairs + [(generator.pick(["id_token", "access_token", "response", "token_type", "expires_in"]), "x.y.z")])
        case 13:
            return query(
                pairs.map { ($0.0, $0.0 == "code" ? String(repeating: "a", count: generator.pick([4000, 20_000, 200_000])) : $0.1) })
        case 14: return address + "#" + FormEncoding.encode(pairs)
        case 15: return query(pairs + (0..<generator.pick([50, 3000])).map { ("a\($0)", "b") })
        case 16:
            return address + "?" + FormEncoding.encode(pairs)
                + generator.pick(["&%zz", "&%ff%fe%00", "&=", "&&&", "%", "&code", "&\(name)", "#x"])
        case 17: return address + "?" + pairs.map { $0.0 + "=" + FormEncoding.escape($0.1) }.joined(separator: ";")
        case 18: return address + generator.pick(["/", "/x", "x", "/../callback", "%2F", "//"]) + "?" + FormEncoding.encode(pairs)
        default: return query(pairs.reversed())
        }
    }
}
