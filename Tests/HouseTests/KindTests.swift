import Testing

/// Another kind of provider is one folder: nothing else of the engine, and none of the rooms around it, knows a vendor.
struct KindTests {
    /// What is spelled as vendors are.
    private static let vendors = ["mapsindoors", "beyondidentity", "beyond-identity", "arcgis", "openweb", "byndid", "secureaccess"]

    /// Rooms that know kinds by ``ProviderAdapter`` alone, and the folder of the engine that is theirs.
    private static let rooms = ["AuthEngine", "Agent", "SessionStore", "FrontDoor", "TerminalUI", "CursesBackend", "OAuth", "FastPath"]
    private static let kinds = "Sources/AuthEngine/Kinds/"

    @Test(arguments: rooms)
    func roomKnowsNoVendor(room: String) {
        let files = SourceTree.rooms.filter { $0.path.hasPrefix("Sources/\(room)/") && !$0.path.hasPrefix(Self.kinds) }
        #expect(!files.isEmpty)
        let places = files.flatMap { file in
            file.lowercasedLines(with: Self.vendors)
        }
        #expect(places == [])
    }

    /// A kind's folder names no other vendor than its own.
    @Test func kindsKnowEachOtherNot() {
        let owners = [
            "MapsIndoors": ["mapsindoors"], "ArcGIS": ["arcgis"], "OpenWeb": ["openweb"], "BeyondIdentity": Array(Self.vendors[1...2]),
        ]
        for (folder, own) in owners {
            let foreign = Self.vendors.filter { !own.contains($0) && !($0 == "byndid" || $0 == "secureaccess") }
            for file in SourceTree.rooms where file.path.hasPrefix("\(Self.kinds)\(folder)/") {
                #expect(file.lowercasedLines(with: foreign) == [])
            }
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
