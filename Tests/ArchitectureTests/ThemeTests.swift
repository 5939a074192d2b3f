import Testing

/// The lists of the compiled-in themes.
struct ThemeTests {
    @Test func everyThemeIsEmbeddedAndListed() throws {
        let files = SourceTree.files(in: "Themes", endingIn: [".toml"]).map { $0.dropFirst("Themes/".count).dropLast(".toml".count) }
        #expect(files.count >= 3)
        let manifest = SourceTree.text("Package.swift")
        let list = SourceTree.files(in: "Themes", endingIn: [".swift"]).map(SourceTree.text).joined()
        for name in files {
            let identifier = name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
            #expect(manifest.contains(#".embedInCode("\#(name).toml")"#), "Package.swift does not embed \(name).toml")
            #expect(list.contains("PackageResources.\(identifier)_toml"), "the list of themes lacks \(name)")
        }
    }
}
