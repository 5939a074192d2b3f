import Testing

/// Checks that the conformance table matches the tests and faults that it names.
struct ConformanceTests {
    private static let page = SourceTree.text("Sources/OAuth/OAuth.docc/Conformance.md")

    /// The cells of each row.
    private static let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| row ") }.map { line in
        line.split(separator: "|").map { $0.trimmingPrefix(" ") }
    }

    @Test func everyTestThatIsNamedExists() {
        let named = Set(Self.page.matches(of: #/`(\w+Tests\/\w+\.\w+)`/#).map { String($0.output.1) })
        #expect(named.count > 300)
        #expect(named.subtracting(TestCatalogue.all).sorted() == [])
    }

    @Test func everyRowIsThereOnceAndSaysSomething() {
        let names = Self.rows.compactMap(\.first).map { $0.filter { $0 != " " } }
        #expect(names.count > 300)
        #expect(Set(names).count == names.count)
        #expect(Self.rows.filter { $0.count != 3 || $0[1].isEmpty || $0[2].isEmpty }.isEmpty)
    }

    /// Faults have the sandbox's names; the command's tests run each fault of the table.
    @Test func everyFaultThatIsNamedIsTriedWithTheCommand() {
        let cells = Self.page.matches(of: #/faults? ((?:`[a-z0-9+-]+`(?:, )?)+)/#).map(\.output.1)
        let named = Set(cells.flatMap { $0.matches(of: #/`([a-z0-9+-]+)`/#).map { String($0.output.1) } })
        let tried = SourceTree.text("Tests/CommandLineToolTests/MisbehaviourTests+Rows.swift")
        #expect(named.count > 100)
        #expect(named.filter { !tried.contains("\"\($0)\"") }.sorted() == [])
    }

    @Test func everyRowThatATestCitesIsThere() {
        let here = Set(Self.rows.compactMap(\.first).map { $0.filter { $0 != " " } })
        let cited = SourceTree.tests.flatMap { file in
            file.lines.filter(Self.mayCite).flatMap {
                $0.matches(of: #/\b((?:RP|RPX|DSC|TOK|FAPI|DPOP|LB|DEV|VLT|AGT|TRM|N)-\d\d)\b/#).map { String($0.output.1) }
            }
        }
        #expect(cited.count > 50)
        #expect(Set(cited).subtracting(here).sorted() == [])
    }

    /// Returns whether a hyphen is between a capital letter and a digit: faster to check than the whole pattern.
    private static func mayCite(_ line: Substring) -> Bool {
        let bytes = Array(line.utf8)
        return bytes.indices.dropFirst().dropLast().contains { index in
            bytes[index] == UInt8(ascii: "-") && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index + 1])
                && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index - 1])
        }
    }

    @Test func findsTestsInSuitesAndTheirExtensions() {
        let text = """
            @Suite(.serialized) struct ATests {
                @Test func one() {}
                @Test(arguments: [
                    "one",
                ])
                func two(x: String) {}
                func helper() {}
            }
            extension ATests {
                struct Row {}
                @Test func `three`() {}
            }
            """
        let file = SourceFile(path: "Tests/BTests/A.swift", text: text)
        #expect(TestCatalogue.names(in: [file]) == ["BTests/ATests.one", "BTests/ATests.two", "BTests/ATests.three"])
    }
}

/// The names of all tests.
enum TestCatalogue {
    static let all = names(in: SourceTree.tests)

    /// Returns every test as `Target/Suite.test`.
    static func names(in files: [SourceFile]) -> Set<String> {
        var names: Set<String> = []
        for file in files {
            guard let target = file.path.split(separator: "/").dropFirst().first else { continue }
            var suite = ""
            var isTest = false
            for line in file.lines {
                // Suites within a suite have the name of the outermost suite.
                if let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "}"),
                    let type = line.firstMatch(of: #/^(?:@\w+(?:\(.*\))?\s+)*(?:final )?(?:struct|class|actor|enum|extension) (\w+)/#)
                {
                    suite = String(type.output.1)
                }
                isTest = isTest || String(line).holds("@Test")
                guard isTest, let function = line.firstMatch(of: #/\bfunc `?(\w+)/#) else { continue }
                names.insert("\(target)/\(suite).\(function.output.1)")
                isTest = false
            }
        }
        return names
    }
}
