import Testing

/// A theme is one file in `Themes`.
struct ThemeTests {
    @Test func noListNamesTheThemes() {
        let names = SourceTree.files(in: "Themes", endingIn: [".toml"]).map { $0.dropFirst("Themes/".count).dropLast(".toml".count) }
        #expect(names.count >= 3)
        for file in ["Package.swift", "Themes/Themes.swift", "Sources/EmbedFiles/EmbedFiles.swift"] {
            let text = SourceTree.text(file)
            #expect(!text.isEmpty)
            // The default theme is the first one.
            #expect(names.filter { text.contains("\"\($0)") && $0 != "gate" } == [], "\(file)")
        }
    }
}
