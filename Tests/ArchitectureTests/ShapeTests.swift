import FoundationEssentials
import ProcessHarness
import Testing

/// What the tree looks like from outside, and what no file may hold.
struct ShapeTests {
    @Test func topHoldsOnlyWhatBelongsThere() {
        let allowed: Set = ["Package.swift", "Package.resolved", "Sources", "Tests", "Themes", "README.md"]
        let strangers = SourceTree.names(in: "").filter { !allowed.contains($0) && !$0.hasPrefix(".") }
        #expect(strangers == [])
    }

    @Test func filesAreOfASizeToRead() {
        let long = (SourceTree.rooms + SourceTree.tests).filter { $0.lines.count > 500 }
        #expect(long.map { "\($0.path) (\($0.lines.count) lines)" } == [])
    }

    @Test(arguments: Marks.inRooms)
    func roomsHoldNoMarkOf(mark: Mark) {
        #expect(SourceTree.rooms.flatMap(mark.places) == [])
    }

    @Test(arguments: Marks.inTests)
    func testsHoldNoMarkOf(mark: Mark) {
        // The marks themselves stand in one file.
        #expect(SourceTree.tests.filter { !$0.path.hasSuffix("/Marks.swift") }.flatMap(mark.places) == [])
    }

    @Test func noFileKnowsAMachine() throws {
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
    func nothingIsMisspeltAs(mistake: String) {
        let found = Spelling.texts.filter { !$0.file.hasSuffix("/Spelling.swift") && $0.text.holds(mistake) }.map(\.file)
        #expect(found == [])
    }

    @Test func everyRoomHasItsPage() {
        let rooms = SourceTree.names(in: "Sources").filter { room in SourceTree.rooms.contains { $0.room == room } }
        // The two programs are a few lines each, and explained where those lines lead.
        let without = rooms.filter { !["yett", "yett-main"].contains($0) }
            .filter { SourceTree.text("Sources/\($0)/\($0).docc/\($0).md").isEmpty }
        #expect(without == [])
    }
}

/// The gates of this file, seen to fail.
struct ShapeGateTests {
    @Test func findsAMarkInCodeAndNotInProse() {
        let mark = Mark(word: "try!", reason: "it traps")
        let file = SourceFile(path: "Sources/OAuth/A.swift", text: "let a = try! b()\n// never try! this\nlet c = \"try!\"")
        #expect(mark.places(in: file) == ["Sources/OAuth/A.swift:1: try!, but it traps"])
    }

    @Test(arguments: [
        "try await ContinuousClock().sleep(until: end)", "try await clock.sleep(for: .seconds(1))", "Task.sleep(nanoseconds: 1)",
    ])
    func findsASleep(line: String) {
        for (marks, path) in [(Marks.inRooms, "Sources/OAuth/A.swift"), (Marks.inTests, "Tests/OAuthTests/A.swift")] {
            #expect(!marks.flatMap { $0.places(in: SourceFile(path: path, text: line)) }.isEmpty)
        }
    }

    @Test func leavesAMarkToTheFilesWhosePurposeItIs() {
        let mark = Mark(word: "Task.sleep", reason: "it waits", exceptions: ["Sources/OAuth/Clock.swift"])
        #expect(mark.places(in: SourceFile(path: "Sources/OAuth/Clock.swift", text: "Task.sleep")) == [])
        #expect(mark.places(in: SourceFile(path: "Sources/OAuth/A.swift", text: "Task.sleep")).count == 1)
    }

    @Test func findsAMarkThatIsProse() {
        let mark = Mark(word: "LATER:", reason: "it is unfinished", isProse: true)
        let file = SourceFile(path: "Sources/OAuth/A.swift", text: "// LATER: mend")
        #expect(mark.places(in: file) == ["Sources/OAuth/A.swift:1: LATER:, but it is unfinished"])
    }
}
