import FoundationEssentials
import ProcessHarness
import Testing

/// Checks the layout of the source tree and the content that no file may have.
struct ShapeTests {
    @Test func topLevelHasOnlyTheAgreedEntries() {
        let allowed: Set = ["Package.swift", "Package.resolved", "Sources", "Tests", "Themes", "README.md"]
        let unexpectedEntries = SourceTree.names(in: "").filter { !allowed.contains($0) && !$0.hasPrefix(".") }
        #expect(unexpectedEntries == [])
    }

    @Test func filesAreShort() {
        let long = SourceTree.sources.filter { $0.lines.count > 351 } + SourceTree.tests.filter { $0.lines.count > 500 }
        #expect(long.map { "\($0.path) (\($0.lines.count) lines)" } == [])
    }

    @Test(arguments: Marks.inSources)
    func sourcesDoNotContain(mark: Mark) {
        #expect(SourceTree.sources.flatMap(mark.places) == [])
    }

    @Test(arguments: Marks.inTests)
    func testsDoNotContain(mark: Mark) {
        // This file lists the marks.
        #expect(SourceTree.tests.filter { !$0.path.hasSuffix("/Marks.swift") }.flatMap(mark.places) == [])
    }

    /// Otherwise all of them run at once, and each answers too late for the time limits of the others.
    @Test func suitesThatStartProgramsLimitTheirNumber() {
        let targets: Set = ["AgentTests", "FastPathTests", "RealProviderTests", "TerminalTests"]
        func target(_ file: SourceFile) -> String { String(file.path.split(separator: "/")[1]) }
        let suites = SourceTree.tests.filter { file in
            targets.contains(target(file)) && file.text.contains("@Test") && !file.lines.contains { $0.hasPrefix("extension ") }
        }
        #expect(Set(suites.map(target)) == targets)
        let unlimited = suites.filter { !$0.text.contains(".startsPrograms") }
        #expect(unlimited.map(\.path) == [])
    }

    @Test func noFileNamesAPathOfAMachine() throws {
        let paths = try Regex(#"(^|[^\w.$@}/])/(Users/\w|root/|work/|scratch/|builds?/)"#)
        let files = ["Sources", "Tests", "Themes", ".github", ".ci"].flatMap {
            SourceTree.files(in: $0, endingIn: [".swift", ".c", ".h", ".md", ".toml", ".py", ".sh", "/run", "/start", "/stop", "/install"])
        }
        #expect(!files.isEmpty)
        let found = files.filter { !$0.hasSuffix("ArchitectureTests/ShapeTests.swift") }.flatMap { file in
            SourceTree.text(file).split(separator: "\n").filter { $0.contains(paths) }.map { "\(file): \($0)" }
        }
        #expect(found == [])
    }

    @Test(arguments: Spelling.mistakes)
    func nothingIsMisspelledAs(mistake: String) {
        let found = Spelling.texts.filter { !$0.file.hasSuffix("/Spelling.swift") && $0.text.holds(mistake) }.map(\.file)
        #expect(found == [])
    }

    @Test func everyModuleHasADocumentationPage() {
        let modules = SourceTree.names(in: "Sources").filter { module in SourceTree.sources.contains { $0.module == module } }
        // The programs have a few lines each; the pages of the modules they call explain them. "Adding a theme" explains the plugin.
        let without = modules.filter { !["yett", "yett-main", "yett-sandbox", "EmbedFiles"].contains($0) }
            .filter { SourceTree.text("Sources/\($0)/\($0).docc/\($0).md").isEmpty }
        #expect(without == [])
    }
}

/// Tests of the mark checks themselves.
struct MarkTests {
    @Test func findsAMarkInCodeOnly() {
        let mark = Mark(word: "try!", reason: "it traps")
        let file = SourceFile(path: "Sources/OAuth/A.swift", text: "let a = try! b()\n// never try! this\nlet c = \"try!\"")
        #expect(mark.places(in: file) == ["Sources/OAuth/A.swift:1: try!, but it traps"])
    }

    @Test(arguments: [
        "try await ContinuousClock().sleep(until: end)", "try await clock.sleep(for: .seconds(1))", "Task.sleep(nanoseconds: 1)",
    ])
    func findsASleep(line: String) {
        for (marks, path) in [(Marks.inSources, "Sources/OAuth/A.swift"), (Marks.inTests, "Tests/OAuthTests/A.swift")] {
            #expect(!marks.flatMap { $0.places(in: SourceFile(path: path, text: line)) }.isEmpty)
        }
    }

    @Test func allowsExceptions() {
        let mark = Mark(word: "Task.sleep", reason: "it waits", exceptions: ["Sources/OAuth/Clock.swift"])
        #expect(mark.places(in: SourceFile(path: "Sources/OAuth/Clock.swift", text: "Task.sleep")) == [])
        #expect(mark.places(in: SourceFile(path: "Sources/OAuth/A.swift", text: "Task.sleep")).count == 1)
    }

    @Test func findsAMarkInComments() {
        let mark = Mark(word: "LATER:", reason: "it is unfinished", isProse: true)
        let file = SourceFile(path: "Sources/OAuth/A.swift", text: "// LATER: mend")
        #expect(mark.places(in: file) == ["Sources/OAuth/A.swift:1: LATER:, but it is unfinished"])
    }
}
