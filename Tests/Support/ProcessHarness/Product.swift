import Glibc

/// The paths of built programs, sources and installed programs.
public enum Product {
    /// The folder with the built programs: `YETT_BUILD_DIR`, or else the folder of this test program.
    public static let folder: String = {
        if let given = environment("YETT_BUILD_DIR"), !given.isEmpty { return given }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
    }()

    /// Returns the path of a built program.
    /// - Throws: if it was not built, with an instruction.
    public static func program(_ name: String) throws -> String {
        let path = folder + "/" + name
        guard access(path, X_OK) == 0 else {
            throw HarnessError("\(path) is not there: build it with 'swift build', or set YETT_BUILD_DIR")
        }
        return path
    }

    /// The root folder of the source tree.
    public static let sourceTree: String = {
        // This file is Tests/Support/ProcessHarness/Product.swift.
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/")
    }()

    /// Returns a variable of this test run's own environment.
    public static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The folders of programs: that of the built ones, and then those of `PATH`.
    public static var searchPath: String { folder + ":" + (environment("PATH") ?? "/usr/bin:/bin") }

    /// Returns the path of an installed program, found through `PATH`; nil if it is not installed.
    public static func installed(_ name: String) -> String? {
        let folders = (environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Like ``installed(_:)``, but throws if the program is not installed.
    static func required(_ name: String) throws -> String {
        guard let path = installed(name) else { throw HarnessError("\(name) is not installed") }
        return path
    }
}

/// Returns whether the path is an executable file.
public func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }
