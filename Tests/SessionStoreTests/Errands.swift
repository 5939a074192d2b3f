import Foundation
import Glibc

/// Another process that does an errand on a store (`StoreCrasher`).
struct StoreTask {
    /// How it ended.
    struct End: Equatable {
        var lines: [String]
        /// Its exit status; the negative signal number where it was killed.
        var status: Int32

        /// What it said last with that first word.
        func last(_ word: String) -> String? {
            lines.last { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
        }
    }

    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts it. It lies beside the tests.
    init(_ arguments: String...) throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: folder).deletingLastPathComponent().appendingPathComponent("StoreCrasher")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        // A process that is meant to die needs no report of it.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
    }

    /// Waits for its first line.
    func firstLine() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

    /// Waits for its end.
    func end() throws -> End {
        try? input.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let status = process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
        return End(lines: lines, status: status)
    }
}
