// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Every Swift target is built the same strict way.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // SE-0335: `any` is spelled out where a value is boxed.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: a member is visible only where its module is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: an import is part of an API only where it says `public`.
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The release program is optimised for size, which makes it a twentieth smaller, starts as fast and answers more requests.
///
/// Not for the library, because a package with such flags cannot be a dependency.
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The launcher's release build has no Swift runtime, whose start would take as long as everything that the launcher does.
///
/// As flags, because the package manager takes a package with the experimental feature for one without a C++ library.
let withoutRuntime =
    strict + [
        .unsafeFlags(["-enable-experimental-feature", "Embedded", "-no-static-stdlib"], .when(configuration: .release))
    ]

/// Links a small library of the system: a release program has it in itself, and also runs where it is not installed.
///
/// Debian and Ubuntu have the archive in the package of the headers. Other systems may have none, and link the shared library.
func staticInRelease(_ library: String) -> [LinkerSetting] {
    #if arch(arm64)
        let archive = "/usr/lib/aarch64-linux-gnu/lib\(library).a"
    #else
        let archive = "/usr/lib/x86_64-linux-gnu/lib\(library).a"
    #endif
    guard access(archive, R_OK) == 0 else { return [.linkedLibrary(library)] }
    return [.linkedLibrary(library, .when(configuration: .debug)), .linkedLibrary(":lib\(library).a", .when(configuration: .release))]
}

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "yett",
    products: [
        .executable(name: "yett", targets: ["yett"]),
        .executable(name: "yett-main", targets: ["yett-main"]),
        .executable(name: "yett-sandbox", targets: ["yett-sandbox"]),
        .library(name: "OAuth", targets: ["OAuth", "AuthModel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    ],
    targets: [
        // What people type: a small static launcher, and the program it becomes.
        .executableTarget(
            name: "yett", dependencies: ["FastPath"], swiftSettings: withoutRuntime,
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-enable-experimental-feature", "Embedded", "-Xclang-linker", "-static", "-Xclang-linker", "-no-pie", "-Xlinker",
                        "--strip-all",
                    ],
                    .when(configuration: .release))
            ]),
        .target(name: "FastPath", dependencies: ["CLauncher", "CProcess", "CVersion"], swiftSettings: withoutRuntime),
        .target(name: "CLauncher", cSettings: [.define("_GNU_SOURCE")]),
        // Alone, because all targets that depend on it are built again for each commit.
        .target(name: "CVersion", cSettings: Context.environment["YETT_COMMIT"].map { [.define("YETT_COMMIT", to: "\"\($0)\"")] } ?? []),
        .executableTarget(
            name: "yett-main", dependencies: ["CommandLineTool", "CWipingAllocator"], exclude: ["exports.map", "unwinding.ld"],
            swiftSettings: small,
            linkerSettings: [
                // The linker of Swift's own toolchain, because it can leave a section out.
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "--icf=safe", "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "--script",
                        "-Xlinker", "\(Context.packageDirectory)/Sources/yett-main/unwinding.ld", "-Xlinker",
                        "--version-script=\(Context.packageDirectory)/Sources/yett-main/exports.map",
                    ],
                    .when(configuration: .release))
            ]),
        .target(
            name: "CommandLineTool",
            dependencies: [
                "Agent", "AuthModel", "AuthEngine", "OAuth", "SessionStore", "OperatingSystem", "TerminalUI",
                "CursesBackend",
                "TerminalApp",
                "UserConfiguration", "ProviderKinds", "MCPBridge", "ResourceClient", "ResourceProxy", "Themes", "TOML",
                "Localization", "CVersion", logging, arguments,
            ],
            swiftSettings: small),

        // The test providers, which never run in the process that holds keys.
        .executableTarget(
            name: "yett-sandbox", dependencies: ["AuthModel", "OperatingSystem", "Sandbox", "TOML", arguments], swiftSettings: small),

        // The operating system.
        .target(name: "OperatingSystem", dependencies: ["CProcess"], swiftSettings: small),
        .target(name: "CProcess", cSettings: [.define("_GNU_SOURCE")]),
        // For programs alone: its free() and realloc() take the place of the C library's.
        .target(name: "CWipingAllocator", cSettings: [.define("_GNU_SOURCE")]),

        // Listeners on loopback ports and Unix sockets.
        .target(name: "LocalServer", dependencies: ["CLibraries", "OperatingSystem", nioCore, nioPosix, nioHTTP1], swiftSettings: small),

        // The vocabulary, the protocol, and the work.
        .target(name: "AuthModel", swiftSettings: strict),
        .target(name: "TOML", swiftSettings: small),
        .target(
            name: "UserConfiguration", dependencies: ["AuthModel", "OAuth", "OperatingSystem", "TOML"], swiftSettings: small,
            plugins: ["EmbedFiles"]),
        .target(name: "OAuth", dependencies: ["AuthModel", crypto, cryptoExtras], swiftSettings: strict),
        // The libraries of the distribution that are loaded on first use.
        .target(name: "CLibraries", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CSQLite", linkerSettings: staticInRelease("sqlite3")),
        .target(
            name: "SessionStore", dependencies: ["AuthModel", "OperatingSystem", "CLibraries", "CSQLite", crypto, cryptoExtras],
            swiftSettings: small),
        .target(
            name: "AuthEngine",
            dependencies: [
                "AuthModel", "LocalServer", "Localization", "OAuth", "SessionStore", "OperatingSystem", "CLibraries", nioCore, nioPosix,
                nioHTTP1,
            ],
            swiftSettings: small),
        .target(
            name: "ProviderKinds",
            dependencies: ["AuthModel", "OAuth", "SessionStore", "UserConfiguration", "AuthEngine"],
            swiftSettings: small),
        .target(name: "ResourceClient", dependencies: ["AuthModel", "OAuth"], swiftSettings: small),
        .target(
            name: "ResourceProxy",
            dependencies: [
                "AuthEngine", "AuthModel", "LocalServer", "Localization", "OAuth", "ResourceClient", nioCore, nioPosix, nioHTTP1,
            ],
            swiftSettings: small),
        .target(
            name: "MCPBridge", dependencies: ["AuthEngine", "AuthModel", "Localization", "OAuth", "ResourceClient"], swiftSettings: small),
        .target(
            name: "Agent",
            dependencies: [
                "AuthModel", "LocalServer", "Localization", "OAuth", "OperatingSystem", "CLibraries", nioCore, nioPosix, nioHTTP1,
            ],
            swiftSettings: small, plugins: ["EmbedFiles"]),
        .target(
            name: "Sandbox",
            dependencies: [
                "AuthModel", "LocalServer", "OperatingSystem", crypto, cryptoExtras, hummingbirdCore, httpTypes, nioCore, nioPosix,
                nioHTTP1,
                logging,
            ],
            swiftSettings: small),

        // The terminal.
        .target(name: "TerminalUI", swiftSettings: small),
        .target(name: "CTerminal", linkerSettings: staticInRelease("ncursesw") + staticInRelease("tinfo")),
        .target(name: "CursesBackend", dependencies: ["TerminalUI", "CTerminal"], swiftSettings: small),
        .target(
            name: "TerminalApp", dependencies: ["AuthModel", "Localization", "TerminalUI"], swiftSettings: small),
        .target(name: "Localization", dependencies: ["AuthModel"], swiftSettings: small, plugins: ["EmbedFiles"]),
        .target(name: "Themes", path: "Themes", swiftSettings: small, plugins: ["EmbedFiles"]),
        // Embeds themes, presets, catalogues and the OpenAPI document, so that the program needs no file beside it.
        .plugin(name: "EmbedFiles", capability: .buildTool(), path: "Sources/EmbedFiles"),

        // Test support. A release build has what is a program or serves one; the rest are test targets, and part of the tests' build alone.
        .target(name: "CTestSupport", path: "Tests/Support/CTestSupport"),
        .target(
            name: "ProcessHarness", dependencies: ["AuthModel", "CSQLite"], path: "Tests/Support/ProcessHarness", swiftSettings: strict),
        .testTarget(
            name: "TestSupport",
            dependencies: [
                "AuthEngine", "AuthModel", "CLibraries", "CTestSupport", "ProcessHarness", "SessionStore", "TerminalUI", "Themes", "TOML",
                crypto, cryptoExtras,
            ],
            path: "Tests/Support/TestSupport", swiftSettings: strict,
            // It links the tests, 300 MB, in a third of the time.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(configuration: .debug))]),
        .testTarget(
            name: "Fuzzing",
            dependencies: [
                "Agent", "AuthModel", "Localization", "OAuth", "SessionStore", "TOML", "TerminalUI", "Themes", "CommandLineTool",
                "UserConfiguration", "ProcessHarness", crypto,
            ],
            path: "Tests/Support/Fuzzing",
            swiftSettings: strict),
        .executableTarget(
            name: "curses-probe", dependencies: ["CursesBackend", "TerminalUI"], path: "Tests/Support/CursesProbe", swiftSettings: strict),
        .executableTarget(
            name: "StoreCrasher", dependencies: ["SessionStore", "AuthEngine", "AuthModel", "ProcessHarness"],
            path: "Tests/Support/StoreCrasher",
            swiftSettings: strict),
        .executableTarget(
            name: "agent-probe",
            dependencies: [
                "Agent", "AuthEngine", "AuthModel", "Localization", "OAuth", "ProviderKinds", "SessionStore", "OperatingSystem",
                "ProcessHarness", "CTestSupport", "CWipingAllocator",
            ],
            path: "Tests/Support/AgentProbe", swiftSettings: strict),

        // The tests, from the inside out.
        .testTarget(name: "ArchitectureTests", dependencies: ["ProcessHarness"], swiftSettings: strict),
        .testTarget(name: "OAuthTests", dependencies: ["OAuth", "AuthModel", "Localization", crypto, cryptoExtras], swiftSettings: strict),
        .testTarget(
            name: "SessionStoreTests",
            dependencies: ["SessionStore", "AuthModel", "Localization", "StoreCrasher", "TestSupport", crypto],
            swiftSettings: strict),
        .testTarget(
            name: "AuthEngineTests",
            dependencies: [
                "AuthEngine", "AuthModel", "LocalServer", "Localization", "CLibraries", "OAuth", "ProviderKinds", "SessionStore", "Sandbox",
                "OperatingSystem", "ProcessHarness", "TestSupport", "UserConfiguration", nioCore, nioPosix, crypto,
            ],
            swiftSettings: strict),
        // The authorised request, and what drives it.
        .testTarget(
            name: "ResourceTests",
            dependencies: [
                "AuthEngine", "AuthModel", "Localization", "MCPBridge", "OAuth", "ProcessHarness", "ResourceClient", "ResourceProxy",
                "TestSupport", nioCore, nioHTTP1,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "Agent", "AuthEngine", "AuthModel", "CLibraries", "CVersion", "LocalServer", "Localization", "OAuth", "ProviderKinds",
                "SessionStore",
                "OperatingSystem",
                "Sandbox",
                "ProcessHarness",
                "TestSupport",
                "yett-main",
                "yett", "yett-sandbox", "agent-probe",
                nioCore,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SandboxTests", dependencies: ["Sandbox", "AuthModel", crypto, cryptoExtras, nioCore, nioPosix, nioHTTP1],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalUITests", dependencies: ["CursesBackend", "TerminalUI", "TestSupport", "Themes", "curses-probe"],
            exclude: ["StyleMaps"], swiftSettings: strict),
        .testTarget(
            name: "TerminalAppTests",
            dependencies: [
                "AuthModel", "CursesBackend", "Localization", "Sandbox", "TerminalUI", "TestSupport", "TerminalApp",
            ],
            exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(
            name: "FastPathTests", dependencies: ["CVersion", "FastPath", "ProcessHarness", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CommandLineToolTests",
            dependencies: [
                "Agent", "CommandLineTool", "AuthModel", "LocalServer", "Localization", "AuthEngine", "OAuth", "Sandbox", "SessionStore",
                "TerminalUI",
                "CursesBackend",
                "ProviderKinds", "MCPBridge", "ResourceClient", "UserConfiguration", "TerminalApp",
                "ProcessHarness", "OperatingSystem", "TestSupport", "Themes", "TOML",
                "yett-sandbox",
                crypto, cryptoExtras,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "AuthEngine", "AuthModel", "Fuzzing", "Localization", "OAuth", "ProviderKinds", "Sandbox", "SessionStore", "TestSupport",
                crypto, nioCore, nioPosix,
            ],
            swiftSettings: strict),
        // The built program in a terminal or with a keyring, and with real providers.
        .testTarget(
            name: "TerminalTests",
            dependencies: ["ProcessHarness", "SessionStore", "AuthEngine", "AuthModel", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "RealProviderTests", dependencies: ["ProcessHarness", "AuthModel", "TestSupport"], swiftSettings: strict),
    ]
)

// Benchmarks, built only if YETT_BENCHMARKS=1.
if Context.environment["YETT_BENCHMARKS"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "yett-benchmarks", dependencies: ["ProcessHarness", "SessionStore", "Agent", "AuthEngine", "AuthModel", "TOML"],
            path: "Tests/Benchmarks/YettBenchmarks", swiftSettings: strict))
}

// The fuzzer, built only if YETT_FUZZ=1. It uses internal declarations, in release builds too; a debug build always has them and shares
// the tests' build.
if Context.environment["YETT_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(name: "yett-fuzz", dependencies: ["Fuzzing"], path: "Tests/Fuzz/YettFuzz", swiftSettings: strict))
    // A program cannot use a test target.
    if let index = package.targets.firstIndex(where: { $0.name == "Fuzzing" }) {
        let tests = package.targets[index]
        package.targets[index] = .target(name: tests.name, dependencies: tests.dependencies, path: tests.path)
    }
    for target in package.targets where target.name == "CommandLineTool" || target.name == "Fuzzing" {
        target.swiftSettings =
            strict + [
                .define("YETT_FUZZ", .when(configuration: .release)), .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
            ]
    }
}
