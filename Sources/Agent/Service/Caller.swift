public import AuthModel
import Glibc

/// A calling process, as the kernel knows it: at the other end of the socket (`SO_PEERCRED`), or this one.
public struct Caller: Equatable, Sendable {
    var process: Int32
    var user: UInt32

    /// Creates a caller.
    public init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }

    /// The process's program; `nil` if the kernel does not tell. Only the name, if it is yett and the agent is not root.
    ///
    /// A process number may be reused after its process has ended, so this is for records and not for decisions.
    var program: String? { Self.link("/proc/\(process)/exe") ?? ownName }

    private static let ownNames: Set = ["yett", "yett-main"]

    /// The name of the process, if it is yett: its memory is closed to other programs, and then the kernel hides the path of its program
    /// too.
    private var ownName: String? {
        let name = Self.text("/proc/\(process)/comm").map { String($0.prefix { $0 != "\n" }) }
        return name.flatMap { Self.ownNames.contains($0) ? $0 : nil }
    }

    /// The program, for records. If it is yett itself, the program that started it.
    public var message: UserMessage { message(program) }

    /// Returns the message for the process's program, which the caller has already read.
    func message(_ program: String?) -> UserMessage {
        guard let program else { return UserMessage("phrase.process_number", ["number": process]) }
        guard Self.ownNames.contains(String(program[(program.lastIndex(of: "/").map(program.index(after:)) ?? program.startIndex)...])),
            let parent,
            let starter = Self.link("/proc/\(parent)/exe")
        else {
            return .verbatim(program)
        }
        return UserMessage("phrase.program_through_yett", ["program": starter])
    }

    private var parent: Int32? {
        guard let text = Self.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        // The name in parentheses may contain any character; the state and the parent follow it.
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? Int32(fields[1]) : nil
    }

    private static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self) : nil
        }
    }
}
