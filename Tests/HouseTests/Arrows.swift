/// Which room may use which, and which packages and parts of the system: the arrows of the house.
///
/// A room that is not in this table may not exist, and what a room's line does not name it may not import.
struct Arrows: Sendable {
    /// What one room may import.
    struct Room: Sendable {
        /// Rooms below it. What those use does not come with them.
        var rooms: Set<String> = []
        /// Modules of packages.
        var packages: Set<String> = []
        /// Modules of the toolchain.
        var system: Set<String> = []

        var all: Set<String> { rooms.union(packages).union(system) }
    }

    var table: [String: Room]

    /// Why a file's imports are not allowed, one line each.
    func violations(in file: SourceFile) -> [String] {
        guard let room = table[file.room] else { return ["\(file.path): there is no room \(file.room)"] }
        return file.imports.filter { !room.all.contains($0.module) }
            .map { "\(file.path):\($0.line): \(file.room) may not import \($0.module)" }
    }

    /// The rooms that can be reached from a room, by way of others.
    func reachable(from room: String) -> Set<String> {
        var found: Set<String> = []
        var next = table[room]?.rooms ?? []
        while let room = next.popFirst() {
            guard found.insert(room).inserted else { continue }
            next.formUnion(table[room]?.rooms ?? [])
        }
        return found
    }
}

extension Arrows {
    private static let network: Set<String> = ["NIOCore", "NIOPosix", "NIOHTTP1", "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging"]
    private static let edges: Set<String> = ["Glibc", "Dispatch", "FoundationEssentials", "Synchronization"]

    /// The house as it is meant to be.
    static let house = Arrows(table: [
        // The pure rooms: values in, values out. Of the system they see a lock at most.
        "TerminalUI": Room(system: ["Synchronization"]),
        "AuthModel": Room(system: ["Glibc", "Synchronization"]),
        "TOML": Room(),
        "OAuth": Room(rooms: ["AuthModel"], packages: ["Crypto", "CryptoExtras"], system: ["Synchronization"]),
        "FrontDoor": Room(rooms: ["TerminalUI", "AuthModel"], system: ["Synchronization"]),
        "Themes": Room(),
        "System": Room(rooms: ["CProcess"], system: edges),
        // The edges.
        "CursesBackend": Room(rooms: ["TerminalUI", "CTerminal"], system: edges),
        "SessionStore": Room(rooms: ["AuthModel", "System", "CSecret"], packages: ["GRDB", "Crypto", "CryptoExtras"], system: edges),
        "AuthEngine": Room(
            rooms: ["AuthModel", "OAuth", "SessionStore", "System", "CCurl", "CQREncode"], packages: network.union(["Crypto"]),
            system: edges),
        "Sandbox": Room(
            rooms: ["AuthModel", "OAuth", "System", "CTLS"], packages: network.union(["Crypto", "CryptoExtras"]), system: edges),
        "Agent": Room(rooms: ["AuthModel", "System", "CAgent"], packages: network, system: edges),
        // The programs.
        "YettCommand": Room(
            rooms: [
                "Agent", "AuthModel", "OAuth", "AuthEngine", "SessionStore", "System", "FrontDoor", "TerminalUI", "CursesBackend",
                "Sandbox", "Themes", "TOML",
            ],
            packages: ["ArgumentParser", "Logging"], system: edges.union(["Foundation"])),
        "yett-main": Room(rooms: ["YettCommand"], system: ["Glibc"]),
        "FastPath": Room(rooms: ["CProcess"], system: ["Glibc"]),
        "yett": Room(rooms: ["FastPath"], system: ["Glibc"]),
        // In C: no Swift file, so no import.
        "CTerminal": Room(), "CLibrary": Room(), "CCurl": Room(), "CQREncode": Room(), "CAgent": Room(), "CSecret": Room(),
        "CTLS": Room(), "CProcess": Room(), "CWipingAllocator": Room(),
    ])
}
