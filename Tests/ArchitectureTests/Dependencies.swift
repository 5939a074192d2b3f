/// Which room may use which, and which packages and parts of the system: the arrows of the house.
///
/// A room that is not in this table may not exist, and what a room's line does not name it may not import.
struct Dependencies: Sendable {
    /// What one room may import.
    struct Module: Sendable {
        /// Rooms below it. What those use does not come with them.
        var rooms: Set<String> = []
        /// Modules of packages.
        var packages: Set<String> = []
        /// Modules of the toolchain.
        var system: Set<String> = []

        var all: Set<String> { rooms.union(packages).union(system) }
    }

    var table: [String: Module]

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

extension Dependencies {
    private static let network: Set<String> = ["NIOCore", "NIOPosix", "NIOHTTP1", "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging"]
    private static let edges: Set<String> = ["Glibc", "Dispatch", "FoundationEssentials", "Synchronization"]

    /// The house as it is meant to be.
    static let house = Dependencies(table: [
        // The pure rooms: values in, values out. Of the system they see a lock at most.
        "TerminalUI": Module(system: ["Synchronization"]),
        "AuthModel": Module(system: ["Glibc", "Synchronization"]),
        "TOML": Module(),
        "OAuth": Module(rooms: ["AuthModel"], packages: ["Crypto", "CryptoExtras"], system: ["Synchronization"]),
        "TerminalApp": Module(rooms: ["TerminalUI", "AuthModel"], system: ["Synchronization"]),
        "Themes": Module(),
        "System": Module(rooms: ["CProcess"], system: edges),
        // The edges.
        "CursesBackend": Module(rooms: ["TerminalUI", "CTerminal"], system: edges),
        "SessionStore": Module(rooms: ["AuthModel", "System", "CSecret"], packages: ["GRDB", "Crypto", "CryptoExtras"], system: edges),
        "AuthEngine": Module(
            rooms: ["AuthModel", "OAuth", "SessionStore", "System", "CCurl", "CQREncode"], packages: network.union(["Crypto"]),
            system: edges),
        "Sandbox": Module(
            rooms: ["AuthModel", "OAuth", "System", "CTLS"], packages: network.union(["Crypto", "CryptoExtras"]), system: edges),
        "Agent": Module(rooms: ["AuthModel", "System", "CAgent"], packages: network, system: edges),
        // The programs.
        "CommandLineTool": Module(
            rooms: [
                "Agent", "AuthModel", "OAuth", "AuthEngine", "SessionStore", "System", "TerminalApp", "TerminalUI", "CursesBackend",
                "Sandbox", "Themes", "TOML",
            ],
            packages: ["ArgumentParser", "Logging"], system: edges.union(["Foundation"])),
        "yett-main": Module(rooms: ["CommandLineTool"], system: ["Glibc"]),
        "FastPath": Module(rooms: ["CProcess"], system: ["Glibc"]),
        "yett": Module(rooms: ["FastPath"], system: ["Glibc"]),
        // In C: no Swift file, so no import.
        "CTerminal": Module(), "CLibrary": Module(), "CCurl": Module(), "CQREncode": Module(), "CAgent": Module(), "CSecret": Module(),
        "CTLS": Module(), "CProcess": Module(), "CWipingAllocator": Module(),
    ])
}
