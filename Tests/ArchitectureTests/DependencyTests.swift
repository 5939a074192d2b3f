import Testing

struct DependencyTests {
    @Test func everyImportIsAllowed() {
        #expect(!SourceTree.sources.isEmpty)
        #expect(SourceTree.sources.flatMap(Dependencies.allowed.violations) == [])
    }

    @Test func everyModuleIsListed() {
        let modules = Set(SourceTree.names(in: "Sources")).union(["Themes"])
        #expect(modules.subtracting(Dependencies.allowed.table.keys) == [])
    }

    @Test func dependenciesHaveNoCircle() {
        let circles = Dependencies.allowed.table.keys.filter { Dependencies.allowed.reachable(from: $0).contains($0) }
        #expect(circles == [])
    }

    @Test func dependenciesAreKnownModules() {
        let known = Set(Dependencies.allowed.table.keys)
        #expect(Dependencies.allowed.table.values.reduce(into: Set<String>()) { $0.formUnion($1.modules) }.subtracting(known) == [])
    }

    /// The table in Architecture.md has every module with its imports.
    @Test func architecturePageListsTheModules() {
        let page = SourceTree.text("Sources/CommandLineTool/CommandLineTool.docc/Architecture.md")
        var rows: [String: Set<String>] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.filter { !"` ".contains($0) } }
            rows[cells[0]] = Set(cells[2].split(separator: ",").map(String.init)).subtracting(["–"])
        }
        let modules = Dependencies.allowed.table.filter {
            !$0.key.hasPrefix("C") || ["CommandLineTool", "CursesBackend"].contains($0.key)
        }
        #expect(rows == modules.mapValues(\.modules))
    }

    @Test func foundationNetworkingIsNotUsed() {
        let importers = (SourceTree.sources + SourceTree.tests).filter { file in
            file.imports.contains { $0.module == "FoundationNetworking" }
        }
        #expect(importers.map(\.path) == [])
    }

    /// Swift offers clocks, random numbers and output without an import.
    @Test(arguments: ["TerminalUI", "OAuth", "TerminalApp"])
    func pureModulesUseNoAmbientState(module: String) throws {
        let calls = try Regex(#"\b(print|debugPrint|dump|readLine|SystemRandomNumberGenerator|\w+Clock)\(|\.random\(|\bCommandLine\."#)
        let files = SourceTree.sources.filter { $0.module == module }
        #expect(!files.isEmpty)
        let found = files.flatMap { file in
            file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { $0.element.contains(calls) }.map {
                "\(file.path):\($0.offset + 1): \($0.element)"
            }
        }
        #expect(found == [])
    }
}

/// Tests of the dependency checks themselves.
struct DependencyTableTests {
    private let sample = Dependencies(table: [
        "Top": .init(modules: ["Middle"]), "Middle": .init(modules: ["Low"], system: ["Glibc"]), "Low": .init(),
    ])

    @Test(arguments: [
        ("import Low", "Low"), ("public import Low", "Low"), ("@testable import Low", "Low"), ("  internal import struct Low.Thing", "Low"),
        ("@preconcurrency public import Low // for now", "Low"), ("import class Low.Thing", "Low"), ("import Low;", "Low"),
    ])
    func readsImports(line: String, module: String) {
        #expect(SourceFile.importedModule(line[...]) == module)
    }

    @Test(arguments: ["// import Low", "let important = 1", "", "importLow", "func import(_ low: Low)"])
    func ignoresLinesWithoutAnImport(line: String) {
        #expect(SourceFile.importedModule(line[...]) == nil)
    }

    @Test func reportsImportsThatAreNotListed() {
        let skipping = SourceFile(path: "Sources/Top/A.swift", text: "import Middle\n\nimport Low\n")
        #expect(sample.violations(in: skipping) == ["Sources/Top/A.swift:3: Top may not import Low"])
        let upwards = SourceFile(path: "Sources/Low/A.swift", text: "import Middle")
        #expect(sample.violations(in: upwards) == ["Sources/Low/A.swift:1: Low may not import Middle"])
        let foreign = SourceFile(path: "Sources/Shed/A.swift", text: "")
        #expect(sample.violations(in: foreign) == ["Sources/Shed/A.swift: the module Shed is not listed"])
    }

    @Test func findsCircles() {
        var circular = sample
        circular.table["Low"]?.modules = ["Top"]
        #expect(circular.reachable(from: "Top") == ["Middle", "Low", "Top"])
        #expect(sample.reachable(from: "Top") == ["Middle", "Low"])
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
