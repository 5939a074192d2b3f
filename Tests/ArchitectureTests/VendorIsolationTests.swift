import Testing

/// Checks that the code of a vendor is in one folder, and that the other modules name no vendor.
struct VendorIsolationTests {
    /// The spellings of the vendors' names, in lower case.
    private static let vendors = ["mapsindoors", "arcgis", "openweb", "aws-sso", "awssso"] + beyondIdentity
    private static let beyondIdentity = [
        "beyondidentity", "beyond_identity", "beyond-identity", "beyond identity", "byndid", "secureaccess", "secure-access",
    ]

    private static let kinds = "Sources/ProviderKinds/"

    /// The folder of each vendor, and the spellings of its name.
    private static let folders = [
        "MapsIndoors": ["mapsindoors"], "ArcGIS": ["arcgis"], "OpenWeb": ["openweb"],
        "BeyondIdentity": beyondIdentity, "IdentityCenter": ["aws-sso", "awssso"],
    ]

    /// Files with one or a few lines per vendor: its name, and the configuration for the sandbox.
    private static let tables = [
        "Sources/AuthModel/Providers/ProviderKind.swift", "\(kinds)KindDefinition.swift",
        "Sources/yett-sandbox/RunningVendor+Table.swift",
    ]

    /// The sandbox contains the vendors' servers, and has a folder for each.
    @Test func noModuleNamesAVendor() {
        let files = SourceTree.sources.filter { file in
            file.module != "Sandbox" && !Self.tables.contains(file.path)
                && !Self.folders.keys.contains { file.path.hasPrefix("\(Self.kinds)\($0)/") }
        }
        #expect(
            Set(files.map(\.module)).isSuperset(of: [
                "AuthModel", "AuthEngine", "Agent", "ProviderKinds", "SessionStore", "TerminalApp", "CommandLineTool",
                "UserConfiguration",
            ]))
        #expect(files.flatMap { $0.lowercasedLines(with: Self.vendors) } == [])
    }

    /// Without this test, a table that is missing or has lost a vendor would go unnoticed.
    @Test(arguments: tables)
    func tablesNameTheVendors(table: String) {
        let text = SourceTree.text(table).lowercased()
        #expect(["mapsindoors", "arcgis", "openweb", "awssso"].filter { !text.holds($0) } == [])
    }

    /// A vendor's folder names no other vendor.
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
    /// Returns the path and line number of each line that contains one of the words, in any case.
    fileprivate func lowercasedLines(with words: [String]) -> [String] {
        guard words.contains(where: text.lowercased().holds) else { return [] }
        return lines.enumerated().filter { _, line in words.contains { line.lowercased().holds($0) } }.map { "\(path):\($0.offset + 1)" }
    }
}
