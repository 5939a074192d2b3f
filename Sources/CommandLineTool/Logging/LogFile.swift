internal import AuthModel
internal import Glibc
internal import Logging
internal import Synchronization
internal import OperatingSystem
internal import TerminalUI
internal import UserConfiguration

/// The log file in the state folder, written only on request. Each event is one line; callers never pass secrets.
final class LogFile: Sendable {
    private let descriptor: Int32
    private let time: any TimeSource
    private let order = Mutex(())

    /// Opens the file for appending. Throws `.configuration` if that fails.
    init(directory: String, time: any TimeSource) throws(AuthFailure) {
        try PrivateFile.makeDirectory(directory, isPrivate: true)
        let path = directory + "/yett.log"
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write_log", path, hint: "hint.run_without_log") }
        self.time = time
    }

    deinit { close(descriptor) }

    /// A logger that writes to this file.
    var logger: Logger {
        var logger = Logger(label: "yett") { _ in Handler(file: self) }
        logger.logLevel = .debug
        return logger
    }

    private func write(_ text: String) {
        let line = Array("\(time.now) \(getpid()) \(SafeText.line(text))\n".utf8)
        // One write per line, because several processes may append at once. Write errors are ignored, so that a log never stops a command.
        order.withLock { _ in
            _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    private struct Handler: LogHandler {
        let file: LogFile
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            file.write("\(event.level) \(event.message)")
        }
    }
}
