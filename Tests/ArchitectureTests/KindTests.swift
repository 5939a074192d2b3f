import Testing

/// Another kind of provider is one folder: nothing else of the engine, and none of the modules around it, knows a vendor.
struct KindTests {
    /// What is spelled as vendors are.
    private static let vendors = ["mapsindoors", "arcgis", "openweb"] + beyondIdentity
    private static let beyondIdentity = ["beyondidentity", "beyond-identity", "beyond identity", "byndid", "secureaccess", "secure-access"]

    private static let kinds = "Sources/AuthEngine/Kinds/"

    /// The folder of each vendor, and how its own things are spelled.
    private static let folders = [
        "MapsIndoors": ["mapsindoors"], "ArcGIS": ["arcgis"], "OpenWeb": ["openweb"],
        "BeyondIdentity": beyondIdentity,
    ]

    /// Where a vendor is one line, or a few, among others of its sort: its name, what is known of it before it is asked, and the
    /// configuration for trying it at the sandbox.
    private static let tables = [
        "Sources/AuthModel/ProviderKind.swift", "\(kinds)ProviderKind+Definition.swift",
        "Sources/CommandLineTool/Providers/ProviderPreset+Table.swift", "Sources/yett-sandbox/RunningVendor+Table.swift",
    ]

    /// The sandbox is the vendors' systems, and has a folder for each of its own.
    @Test func noModuleNamesAVendor() {
        let files = SourceTree.sources.filter { file in
            file.module != "Sandbox" && !Self.tables.contains(file.path)
                && !Self.folders.keys.contains { file.path.hasPrefix("\(Self.kinds)\($0)/") }
        }
        #expect(
            Set(files.map(\.module)).isSuperset(of: ["AuthModel", "AuthEngine", "Agent", "SessionStore", "TerminalApp", "CommandLineTool"]))
        #expect(files.flatMap { $0.lowercasedLines(with: Self.vendors) } == [])
    }

    /// A vendor that a table has lost, or a table that is gone, would leave the test above with nothing to leave out.
    @Test(arguments: tables)
    func tablesNameTheVendors(table: String) {
        let text = SourceTree.text(table).lowercased()
        #expect(["mapsindoors", "arcgis", "openweb"].filter { !text.holds($0) } == [])
    }

    /// A kind's folder names no other vendor than its own.
    @Test func kindsDoNotNameEachOther() {
        for (folder, own) in Self.folders {
            let files = SourceTree.sources.filter { $0.path.hasPrefix("\(Self.kinds)\(folder)/") }
            #expect(!files.isEmpty, "\(folder)")
            let foreign = Self.vendors.filter { !own.contains($0) }
            #expect(files.flatMap { $0.lowercasedLines(with: foreign) } == [])
        }
    }
}

extension SourceFile {
    /// Where one of the words stands, however it is capitalised: the path and the number of the line.
    fileprivate func lowercasedLines(with words: [String]) -> [String] {
        guard words.contains(where: text.lowercased().holds) else { return [] }
        return lines.enumerated().filter { _, line in words.contains { line.lowercased().holds($0) } }.map { "\(path):\($0.offset + 1)" }
    }
}
