import Testing

/// Checks the library's DocC pages against the sources.
@Suite struct DocumentationTests {
    /// Returns each text between backticks that matches `pattern`.
    private func quoted(_ page: String, _ pattern: some RegexComponent<(Substring, Substring)>) throws -> [String] {
        try Catalogue.text(page).matches(of: pattern).map { String($0.output.1) }
    }

    /// Returns every test of this target, as `Suite.test`.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        for path in try Catalogue.sources(below: "Tests/OAuthTests") {
            let text = try Catalogue.read(path)
            guard let suite = text.firstMatch(of: #/@Suite struct (\w+)/#)?.output.1 else { continue }
            for match in text.matches(of: #/func (\w+)\(/#) { names.insert("\(suite).\(match.output.1)") }
        }
        return names
    }

    @Test func everyFileAndSuiteOfTheMapExists() throws {
        let files = try quoted("SpecificationMap.md", #/`([\w+/]+\.swift)`/#)
        let sources = try Catalogue.sources(below: "Sources/OAuth")
        #expect(files.count > 40)
        #expect(Set(files).filter { file in !sources.contains("Sources/OAuth/\(file)") }.sorted() == [])
        let suites = try quoted("SpecificationMap.md", #/`(\w+Tests)`/#)
        let known = Set(try tests().compactMap { $0.split(separator: ".").first.map(String.init) })
        #expect(Set(suites).subtracting(known).sorted() == [])
    }

    @Test func overviewListsEveryFolder() throws {
        let page = try Catalogue.text("OAuth.md")
        let folders = Set(
            try Catalogue.sources(below: "Sources/OAuth").compactMap { $0.split(separator: "/").dropFirst(2).first.map(String.init) })
        #expect(folders.filter { !page.contains("`\($0)`") }.sorted() == [])
    }
}
