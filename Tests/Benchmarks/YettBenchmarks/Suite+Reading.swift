import TOML

/// Measures how long the largest allowed texts take. Each row is for n, 2n and 4n bytes, so that quadratic time is noticed.
extension Suite {
    private struct Reading {
        var name: String
        var text: (Int) -> String
        var body: (String) throws -> Void
    }

    /// The largest text that is read: 1 MiB, which should take well under a second in a release build.
    private static let largest = 1 << 20

    func reading(_ unit: Measurement) async throws {
        let tables = { (bytes: Int) in Self.text(of: bytes) { "[providers.p\($0)]\nkind = \"oidc\"\nx.y = 1\n" } }
        let braces = { (bytes: Int) in "t = [" + Self.text(of: bytes) { "{ x = \($0), y.z = 2 }, " } + "]\n" }
        let readings = [
            Reading(name: "reading TOML of tables", text: tables) { _ = try TOMLDocument($0) },
            Reading(name: "reading TOML of braces", text: braces) { _ = try TOMLDocument($0) },
            Reading(name: "setting a key of TOML", text: braces) {
                var editor = TOMLEditor($0)
                try editor.set("new", in: ["t"], to: "1")
            },
            Reading(name: "removing a table of TOML", text: tables) {
                var editor = TOMLEditor($0)
                try editor.remove(table: ["providers"])
            },
        ]
        for reading in readings {
            for bytes in [Self.largest / 4, Self.largest / 2, Self.largest] {
                let text = reading.text(bytes)
                let measurement = try await Measurement(rounds: min(rounds, 5)) { try clock.measure { try reading.body(text) } }
                Row(
                    what: "\(reading.name), \(bytes >> 10) KiB", measured: Measurement.milliseconds(measurement.median),
                    ratio: Row.rounded(measurement.ratio(to: unit))
                ).show()
            }
        }
    }

    /// Returns lines created by `line` from consecutive numbers, up to the given size.
    private static func text(of bytes: Int, line: (Int) -> String) -> String {
        var text = ""
        var number = 0
        while text.utf8.count < bytes {
            text += line(number)
            number += 1
        }
        return text
    }
}
