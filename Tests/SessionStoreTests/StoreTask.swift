import Foundation
import Glibc

/// Another process that runs a task on a store (`StoreCrasher`).
struct StoreTask {
    /// How the process ended.
    struct End: Equatable {
        var lines: [String]
        /// The exit status; the negative signal number if a signal ended the process.
        var status: Int32

        /// Returns the rest of the last line that begins with `word`.
        func last(_ word: String) -> String? {
            lines.last { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
        }
    }

    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts the program, which is in the same folder as the tests.
    init(_ arguments: String...) throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: folder).deletingLastPathComponent().appendingPathComponent("StoreCrasher")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        // A process that is killed on purpose needs no crash report.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
    }

    /// Waits for the first line of output and returns it.
    func firstLine() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

    /// Closes the process's input and waits for it to end.
    func end() throws -> End {
        try? input.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let status = process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
        return End(lines: lines, status: status)
    }
}
