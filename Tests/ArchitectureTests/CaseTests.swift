import Testing

/// How texts are compared without case.
struct CaseTests {
    /// The folders whose code reads names from outside: header fields, schemes, hosts, types.
    private static let readers = [
        "AuthModel", "OAuth", "AuthEngine", "MCPBridge", "ResourceProxy", "ResourceClient", "ProviderKinds", "UserConfiguration",
        "CommandLineTool/Request", "CommandLineTool/Tools",
    ]

    /// `lowercased()` makes an ASCII letter of some other characters, such as k of the Kelvin sign, so that two names become one.
    @Test func namesFromOutsideAreComparedAsASCII() {
        let files = SourceTree.sources.filter { file in Self.readers.contains { file.path.hasPrefix("Sources/\($0)/") } }
        #expect(files.count > 100)
        let found = files.flatMap { file in
            file.lines.enumerated().filter { $0.element.contains(/\.lowercased\(\)|caseInsensitive/) && !$0.element.contains("//") }
                .map { "\(file.path):\($0.offset + 1)" }
        }
        #expect(found == [], "use asciiLowercased()")
    }
}
