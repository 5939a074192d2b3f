import AuthModel

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
    var program: String? { running.executable ?? ownName }

    var running: RunningProcess { RunningProcess(number: process) }

    private static let ownNames: Set = ["yett", "yett-main"]

    /// The name of the process, if it is yett: its memory is closed to other programs, and then the kernel hides the path of its program
    /// too.
    private var ownName: String? { running.name.flatMap { Self.ownNames.contains($0) ? $0 : nil } }

    /// Returns whether a path or name is one of Yett's own programs.
    static func isOwn(_ program: String) -> Bool { ownNames.contains(String(program.fileName)) }

    /// The variable with the host to which `yett ssh` forwards the restricted socket, in the environment of ssh.
    public static let hostVariable = "YETT_SSH_HOST"

    /// Returns the host on which the caller really is, if the process is the ssh of `yett ssh`. For records only: the user's own programs
    /// can claim any host.
    func forwardedHost(_ program: String) -> String? {
        guard program.hasSuffix("/ssh") else { return nil }
        let head = "\(Self.hostVariable)="
        let variable = running.variables.first { $0.hasPrefix(head) }
        return variable.map { $0.dropFirst(head.count).prefix(bytes: 255) }
    }
}

extension String {
    /// The last part of a path.
    var fileName: Substring { self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...] }
}
