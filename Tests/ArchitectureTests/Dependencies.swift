/// Which module may use which, and which packages and parts of the system: the sample of the allowed.
///
/// A module that is not in this table may not exist, and what a module's line does not name it may not import.
struct Dependencies: Sendable {
    /// What one module may import.
    struct Module: Sendable {
        /// Rooms below it. What those use does not come with them.
        var modules: Set<String> = []
        /// Modules of packages.
        var packages: Set<String> = []
        /// Modules of the toolchain.
        var system: Set<String> = []

        var all: Set<String> { modules.union(packages).union(system) }
    }

    var table: [String: Module]

    /// Why a file's imports are not allowed, one line each.
    func violations(in file: SourceFile) -> [String] {
        guard let module = table[file.module] else { return ["\(file.path): there is no module \(file.module)"] }
        return file.imports.filter { !module.all.contains($0.module) }
            .map { "\(file.path):\($0.line): \(file.module) may not import \($0.module)" }
    }

    /// The modules that can be reached from a module, by way of others.
    func reachable(from module: String) -> Set<String> {
        var found: Set<String> = []
        var next = table[module]?.modules ?? []
        while let module = next.popFirst() {
            guard found.insert(module).inserted else { continue }
            next.formUnion(table[module]?.modules ?? [])
        }
        return found
    }
}

extension Dependencies {
    private static let network: Set<String> = ["NIOCore", "NIOPosix", "NIOHTTP1", "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging"]
    private static let edges: Set<String> = ["Glibc", "Dispatch", "FoundationEssentials", "Synchronization"]

    /// The allowed as it is meant to be.
    static let allowed = Dependencies(table: [
        // The pure modules: values in, values out. Of the system they see a lock at most.
        "TerminalUI": Module(system: ["Synchronization"]),
        "AuthModel": Module(system: ["Glibc", "Synchronization"]),
        "TOML": Module(),
        "OAuth": Module(modules: ["AuthModel"], packages: ["Crypto", "CryptoExtras"], system: ["Synchronization"]),
        "TerminalApp": Module(modules: ["TerminalUI", "AuthModel"], system: ["Synchronization"]),
        "Themes": Module(),
        "System": Module(modules: ["CProcess"], system: edges),
        // The edges.
        "CursesBackend": Module(modules: ["TerminalUI", "CTerminal"], system: edges),
        "SessionStore": Module(modules: ["AuthModel", "System", "CSecret"], packages: ["GRDB", "Crypto", "CryptoExtras"], system: edges),
        "AuthEngine": Module(
            modules: ["AuthModel", "OAuth", "SessionStore", "System", "CCurl", "CQREncode"], packages: network.union(["Crypto"]),
            system: edges),
        "Sandbox": Module(
            modules: ["AuthModel", "OAuth", "System", "CTLS"], packages: network.union(["Crypto", "CryptoExtras"]), system: edges),
        "Agent": Module(modules: ["AuthModel", "System", "CAgent"], packages: network, system: edges),
        // The programs.
        "CommandLineTool": Module(
            modules: [
                "Agent", "AuthModel", "OAuth", "AuthEngine", "SessionStore", "System", "TerminalApp", "TerminalUI", "CursesBackend",
                "SandboxCommandLine", "Themes", "TOML",
            ],
            packages: ["ArgumentParser", "Logging"], system: edges.union(["Foundation"])),
        "yett-main": Module(modules: ["CommandLineTool"], system: ["Glibc"]),
        "SandboxCommandLine": Module(packages: ["ArgumentParser"]),
        "yett-sandbox": Module(
            modules: ["AuthModel", "Sandbox", "SandboxCommandLine", "TOML"], packages: ["ArgumentParser"], system: edges),
        "FastPath": Module(modules: ["CProcess"], system: ["Glibc"]),
        "yett": Module(modules: ["FastPath"], system: ["Glibc"]),
        // In C: no Swift file, so no import.
        "CTerminal": Module(), "CLibrary": Module(), "CCurl": Module(), "CQREncode": Module(), "CAgent": Module(), "CSecret": Module(),
        "CTLS": Module(), "CProcess": Module(), "CWipingAllocator": Module(),
    ])
}
