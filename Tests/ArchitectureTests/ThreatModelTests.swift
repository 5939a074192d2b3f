import Testing

/// Checks that the threat model names existing tests.
struct ThreatModelTests {
    private static let page = SourceTree.text(".github/SECURITY.md")

    /// The rows of the attacks.
    private static let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| attack ") }
        .map { line in line.split(separator: "|").map { $0.trimmingPrefix(" ") }.filter { !$0.isEmpty } }
        .filter { $0.count == 3 }

    @Test func everyTestThatIsNamedExists() {
        let named = Set(Self.page.matches(of: #/`(\w+Tests\/\w+\.\w+)`/#).map { String($0.output.1) })
        #expect(named.count > 30)
        #expect(named.subtracting(TestCatalogue.all).sorted() == [])
    }

    @Test func everyAttackHasAProtectionAndATest() {
        #expect(Self.rows.count > 20)
        #expect(Self.rows.filter { $0[2].firstMatch(of: #/`\w+Tests\/\w+\.\w+`/#) == nil }.map { String($0[0]) } == [])
    }
}
