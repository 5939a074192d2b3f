import Testing

/// Checks that the table of vendor requirements names existing tests.
struct VendorTableTests {
    private static let rows = SourceTree.text("Sources/CommandLineTool/CommandLineTool.docc/Vendors.md").split(separator: "\n")
        .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| row ") }.map { line in
            line.split(separator: "|").map { $0.trimmingPrefix(" ") }
        }

    @Test func everyTestThatIsNamedExists() {
        let named = Set(Self.rows.flatMap { $0.last?.matches(of: #/`(\w+Tests)\.(\w+)`/#).map { "\($0.output.1).\($0.output.2)" } ?? [] })
        #expect(named.count > 20)
        // The page names no targets, because all its suites are in one.
        let known = Set(TestCatalogue.all.compactMap { $0.split(separator: "/").last.map(String.init) })
        #expect(named.subtracting(known).sorted() == [])
    }

    @Test func everyRowIsThereOnceAndSaysSomething() {
        let names = Self.rows.compactMap { $0.first.map { $0.filter { $0 != " " } } }
        #expect(names.count >= 25)
        #expect(Set(names).count == names.count)
        #expect(Self.rows.filter { $0.count != 3 || $0[1].isEmpty || $0[2].isEmpty }.isEmpty)
    }
}
