import Testing

struct ManifestTests {
    private static let manifest = Manifest(SourceTree.text("Package.swift"))

    @Test func everyImportedTargetIsDeclared() {
        #expect((SourceTree.sources + SourceTree.tests).flatMap(Self.manifest.undeclaredImports) == [])
    }

    @Test func everyModuleIsATarget() {
        let modules = Set(SourceTree.names(in: "Sources")).union(["Themes"])
        #expect(modules.subtracting(Self.manifest.targets.map(\.name)) == [])
    }

    @Test func reportsAnUndeclaredImport() {
        let manifest = Manifest(
            """
            .target(name: "Low"),
            .target(name: "Top", dependencies: ["Middle", crypto], path: "Tests/Support/Top"),
            .target(name: "Middle", dependencies: ["Low"]),
            """)
        let file = SourceFile(path: "Tests/Support/Top/A.swift", text: "import Middle\nimport Glibc\ninternal import Low\n")
        #expect(manifest.undeclaredImports(in: file) == ["Tests/Support/Top/A.swift:3: Top does not declare Low"])
    }
}
