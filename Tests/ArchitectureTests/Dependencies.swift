/// The imports that each module is allowed: modules of this package, of other packages, and of the toolchain.
///
/// A module without a row in the table is not allowed to exist.
struct Dependencies: Sendable {
    /// The allowed imports of one module.
    struct Module: Sendable {
        /// Modules of this package. Their own imports are not included.
        var modules: Set<String> = []
        /// Modules of other packages.
        var packages: Set<String> = []
        /// Modules of the toolchain.
        var system: Set<String> = []

        var all: Set<String> { modules.union(packages).union(system) }
    }

    var table: [String: Module]

    /// Returns one line for each import of a file that is not allowed.
    func violations(in file: SourceFile) -> [String] {
        guard let module = table[file.module] else { return ["\(file.path): the module \(file.module) is not listed"] }
        return file.imports.filter { !module.all.contains($0.module) }
            .map { "\(file.path):\($0.line): \(file.module) may not import \($0.module)" }
    }

    /// Returns the modules that a module imports directly or indirectly.
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

    /// The modules of this package.
    static let allowed = Dependencies(table: [
        // Pure modules: no I/O. Of the system they use locks only.
        "TerminalUI": Module(system: ["Synchronization"]),
        "AuthModel": Module(system: ["Glibc", "Synchronization"]),
        "TOML": Module(),
        "OAuth": Module(modules: ["AuthModel"], packages: ["Crypto", "CryptoExtras"], system: ["Synchronization"]),
        "Localization": Module(modules: ["AuthModel"]),
        "TerminalApp": Module(modules: ["TerminalUI", "AuthModel", "Localization"], system: ["Synchronization"]),
        "Themes": Module(),
        // The build plugin that embeds data files.
        "EmbedFiles": Module(system: ["Foundation", "PackagePlugin"]),
        "OperatingSystem": Module(modules: ["CProcess"], system: edges),
        // Modules that call the system.
        "LocalServer": Module(modules: ["CLibraries", "OperatingSystem"], packages: ["NIOCore", "NIOPosix", "NIOHTTP1"], system: edges),
        "CursesBackend": Module(modules: ["TerminalUI", "CTerminal"], system: edges),
        "SessionStore": Module(
            modules: ["AuthModel", "OperatingSystem", "CLibraries", "CSQLite"], packages: ["Crypto", "CryptoExtras"], system: edges),
        "AuthEngine": Module(
            modules: ["AuthModel", "LocalServer", "Localization", "OAuth", "SessionStore", "OperatingSystem", "CLibraries"],
            packages: network.union(["Crypto"]),
            system: edges),
        "UserConfiguration": Module(modules: ["AuthModel", "OAuth", "OperatingSystem", "TOML"], system: edges),
        "ProviderKinds": Module(
            modules: ["AuthModel", "OAuth", "SessionStore", "AuthEngine", "UserConfiguration"], system: edges),
        "ResourceClient": Module(modules: ["AuthModel", "OAuth"], system: ["Synchronization"]),
        "ResourceProxy": Module(
            modules: ["AuthEngine", "AuthModel", "LocalServer", "Localization", "OAuth", "ResourceClient"], packages: network, system: edges
        ),
        "MCPBridge": Module(modules: ["AuthEngine", "AuthModel", "Localization", "OAuth", "ResourceClient"], system: ["Synchronization"]),
        "Sandbox": Module(
            modules: ["AuthModel", "LocalServer", "OperatingSystem"], packages: network.union(["Crypto", "CryptoExtras"]), system: edges),
        "Agent": Module(
            modules: ["AuthModel", "CLibraries", "LocalServer", "Localization", "OAuth", "OperatingSystem"], packages: network,
            system: edges),
        // The programs.
        "CommandLineTool": Module(
            modules: [
                "CVersion",
                "Agent", "AuthModel", "OAuth", "AuthEngine", "SessionStore", "OperatingSystem", "TerminalApp",
                "TerminalUI",
                "CursesBackend",
                "MCPBridge", "ProviderKinds", "ResourceClient", "ResourceProxy", "Themes", "TOML",
                "UserConfiguration", "Localization",
            ],
            packages: ["ArgumentParser", "Logging"], system: edges.union(["Foundation"])),
        "yett-main": Module(modules: ["CommandLineTool"], system: ["Glibc"]),
        "yett-sandbox": Module(
            modules: ["AuthModel", "OperatingSystem", "Sandbox", "TOML"], packages: ["ArgumentParser"], system: edges),
        "FastPath": Module(modules: ["CLauncher", "CProcess", "CVersion"]),
        "yett": Module(modules: ["FastPath"]),
        // C code, without Swift imports.
        "CTerminal": Module(), "CLibraries": Module(), "CLauncher": Module(), "CVersion": Module(),
        "CSQLite": Module(), "CProcess": Module(), "CWipingAllocator": Module(),
    ])
}
