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
            file.lines.enumerated().filter { _, line in Self.vendors.contains { line.lowercased().contains($0) } }
                .map { "\(file.path):\($0.offset + 1)" }
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
                let places = file.lines.filter { line in foreign.contains { line.lowercased().contains($0) } }
                #expect(places == [], "\(file.path)")
            }
        }
    }
}
