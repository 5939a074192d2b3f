import Glibc
import Synchronization

/// A program that listens on a port; it ends with the last reference.
final class ListeningProgram: Sendable {
    let port: Int
    let processID: pid_t
    private nonisolated(unsafe) let output: UnsafeMutablePointer<FILE>
    private let isOver = Atomic(false)

    /// Starts the program, and returns when it listens.
    ///
    /// - Parameters:
    /// - command: a shell command. `$$` in it is the process ID.
    /// - hasBegun: returns whether this line of output says that the program listens; the line ends with the port.
    init(_ command: String, in folder: TestFolder, listensWhen hasBegun: (String) -> Bool) throws {
        // The shell is replaced by the program, so that its process ID is the program's.
        guard let output = popen("cd '\(folder.path)' && echo $$ && exec \(command) </dev/null", "r") else {
            throw PreparationError("no shell can be started")
        }
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        while lines.last.map(hasBegun) != true, fgets(&buffer, 1024, output) != nil {
            lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        guard let processID = lines.first.flatMap({ pid_t($0) }), let port = lines.last?.split(separator: ":").last.flatMap({ Int($0) })
        else {
            pclose(output)
            let program = command.split(separator: " ").first.map(String.init) ?? command
            throw PreparationError("\(program) does not start: \(lines.last ?? "it is not installed")")
        }
        self.output = output
        self.processID = processID
        self.port = port
    }

    deinit { end() }

    /// Kills the program; when this returns, the port is free.
    func end() {
        guard !isOver.exchange(true, ordering: .sequentiallyConsistent) else { return }
        kill(processID, SIGKILL)
        pclose(output)
    }
}
