import Testing

struct DependencyTests {
    @Test func everyImportFollowsAnArrow() {
        #expect(!SourceTree.rooms.isEmpty)
        #expect(SourceTree.rooms.flatMap(Dependencies.house.violations) == [])
    }

    @Test func everyRoomHasItsLine() {
        let rooms = Set(SourceTree.names(in: "Sources")).union(["Themes"])
        #expect(rooms.subtracting(Dependencies.house.table.keys) == [])
    }

    @Test func arrowsPointDownOnly() {
        let circles = Dependencies.house.table.keys.filter { Dependencies.house.reachable(from: $0).contains($0) }
        #expect(circles == [])
    }

    @Test func arrowsEndAtRooms() {
        let known = Set(Dependencies.house.table.keys)
        #expect(Dependencies.house.table.values.reduce(into: Set<String>()) { $0.formUnion($1.rooms) }.subtracting(known) == [])
    }

    @Test func networkingOfFoundationIsNowhere() {
        let importers = (SourceTree.rooms + SourceTree.tests).filter { file in file.imports.contains { $0.module == "FoundationNetworking" }
        }
        #expect(importers.map(\.path) == [])
    }

    /// What Swift itself offers to a room that has no module of the system.
    @Test(arguments: ["TerminalUI", "OAuth", "TerminalApp"])
    func pureRoomsTouchNothingTheyWereNotGiven(room: String) throws {
        let calls = try Regex(#"\b(print|debugPrint|dump|readLine|SystemRandomNumberGenerator|\w+Clock)\(|\.random\(|\bCommandLine\."#)
        let files = SourceTree.rooms.filter { $0.room == room }
        #expect(!files.isEmpty)
        let found = files.flatMap { file in
            file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { $0.element.contains(calls) }.map {
                "\(file.path):\($0.offset + 1): \($0.element)"
            }
        }
        #expect(found == [])
    }
}

/// The gate itself, seen to fail.
struct DependencyTableTests {
    private let arrows = Dependencies(table: [
        "Top": .init(rooms: ["Middle"]), "Middle": .init(rooms: ["Low"], system: ["Glibc"]), "Low": .init(),
    ])

    @Test(arguments: [
        ("import Low", "Low"), ("public import Low", "Low"), ("@testable import Low", "Low"), ("  internal import struct Low.Thing", "Low"),
        ("@preconcurrency public import Low // for now", "Low"), ("import class Low.Thing", "Low"), ("import Low;", "Low"),
    ])
    func readsImports(line: String, module: String) {
        #expect(SourceFile.importedModule(line[...]) == module)
    }

    @Test(arguments: ["// import Low", "let important = 1", "", "importLow", "func import(_ low: Low)"])
    func readsNoImportWhereThereIsNone(line: String) {
        #expect(SourceFile.importedModule(line[...]) == nil)
    }

    @Test func findsAnArrowThatSkipsAFloorAndOneThatPointsUp() {
        let skipping = SourceFile(path: "Sources/Top/A.swift", text: "import Middle\n\nimport Low\n")
        #expect(arrows.violations(in: skipping) == ["Sources/Top/A.swift:3: Top may not import Low"])
        let upwards = SourceFile(path: "Sources/Low/A.swift", text: "import Middle")
        #expect(arrows.violations(in: upwards) == ["Sources/Low/A.swift:1: Low may not import Middle"])
        let foreign = SourceFile(path: "Sources/Shed/A.swift", text: "")
        #expect(arrows.violations(in: foreign) == ["Sources/Shed/A.swift: there is no room Shed"])
    }

    @Test func findsACircle() {
        var circular = arrows
        circular.table["Low"]?.rooms = ["Top"]
        #expect(circular.reachable(from: "Top") == ["Middle", "Low", "Top"])
        #expect(arrows.reachable(from: "Top") == ["Middle", "Low"])
    }

    @Test func readsCodeWithoutCommentsAndLiterals() {
        let file = SourceFile(
            path: "Sources/Top/A.swift",
            text: #"""
                let a = "open(\"" // open(
                let b = """
                    open(
                    """
                open(c)
                """#)
        #expect(file.code == "let a =  \nlet b = \n\n\nopen(c)")
    }
}
