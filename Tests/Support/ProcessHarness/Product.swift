import Glibc

/// Where things of this build are found.
public enum Product {
    /// The folder that holds the built programs: `YETT_BUILD_DIR`, else the folder this test program lies in.
    public static let folder: String = {
        if let given = environment("YETT_BUILD_DIR"), !given.isEmpty { return given }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
    }()

    /// The path of a built program.
    /// - Throws: when it was not built, with what to do about it.
    public static func program(_ name: String) throws -> String {
        let path = folder + "/" + name
        guard access(path, X_OK) == 0 else {
            throw HarnessError("\(path) is not there: build it with 'swift build', or set YETT_BUILD_DIR")
        }
        return path
    }

    /// The top of the source tree.
    public static let sourceTree: String = {
        // This file is Tests/Support/ProcessHarness/Product.swift.
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/")
    }()

    /// A variable of this test run's own environment.
    public static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Where a program of the system is, searched as a shell would.
    public static func installed(_ name: String) -> String? {
        let folders = (environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The same; throws where there is none.
    static func required(_ name: String) throws -> String {
        guard let path = installed(name) else { throw HarnessError("\(name) is not installed") }
        return path
    }
}

/// Whether a path leads to something that can be run.
func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }
