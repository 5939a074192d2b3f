import Testing

/// Commands in hints, messages and texts of the app, as written in the source.
struct HintTests {
    /// Provider names contain only letters, digits and `. _ -`, so no shell changes them; the same is true of our own constants.
    private static let plain: Set<String> = [
        "provider", "provider.name", "right.name", "plan.name", "name.provider", "configuration.name", "first.name", "session.provider",
        "request.session.provider",
        "record.summary.name.provider", "added", "$0.name", "own.example", "$0.example", "tool", "$0",
        "vendor.rawValue", "request.flow.rawValue",
    ]

    /// Matches a command or an option and the expression that follows it.
    private nonisolated(unsafe) static let command =
        /(?:yett (?:[a-z]+ )+(?:--[a-z-]+ )?|--[a-z-]+ |chmod [^\\ ]+ )\\\(([^()]*(?:\([^()]*\))?[^()]*)\)/

    @Test func commandsInHintsQuoteTheirArguments() {
        var found = 0
        for file in SourceTree.sources where !file.path.hasPrefix("Sources/Sandbox") {
            for line in file.text.split(separator: "\n") where !line.contains("///") {
                for match in line.matches(of: Self.command) {
                    let value = String(match.1)
                    guard !value.contains("yett") else { continue }
                    found += 1
                    let isQuoted = value.hasSuffix(".shellWord") || value.hasPrefix("ShellWord(") || Self.plain.contains(value)
                    #expect(isQuoted, "\(file.path): \(line.drop { $0 == " " })")
                }
            }
        }
        #expect(found > 15)
    }
}
