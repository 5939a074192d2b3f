internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import Localization
internal import Logging
internal import OAuth
internal import OperatingSystem
internal import Synchronization
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

/// A transport that logs the method, the address without its query, the status and the duration of each request. Logs no headers and no
/// bodies.
struct LoggedTransport: HTTPTransport, UpgradingTransport {
    let transport: any HTTPTransport & UpgradingTransport
    let logger: Logger
    let time: any TimeSource

    var obstacle: AuthFailure? { transport.obstacle }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in try await transport.send(request, policy: policy) }
    }

    func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in
            try await transport.open(request, policy: policy, upload: upload, isRaw: isRaw)
        }
    }

    func upgrade(
        _ request: WebRequest, to name: String, policy: TransportPolicy, input: RequestBody
    ) async throws(AuthFailure) -> StreamedResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in
            try await transport.upgrade(request, to: name, policy: policy, input: input)
        }
    }

    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        logger.debug("looking at the certificate of \(origin)")
        return try await transport.certificate(of: origin, policy: policy)
    }

    /// Sends a request, and logs it when the header of its response is complete.
    private func noting<Response>(
        _ request: WebRequest, status: (Response) -> Int, _ send: () async throws(AuthFailure) -> Response
    ) async throws(AuthFailure) -> Response {
        let start = time.bootTime
        do throws(AuthFailure) {
            let response = try await send()
            note(request, "\(status(response))", since: start)
            return response
        } catch {
            note(request, error.summary, since: start)
            throw error
        }
    }

    private func note(_ request: WebRequest, _ outcome: String, since start: Duration) {
        // A URL's description contains no query and no fragment.
        let address = request.hasSecretPath ? request.url.origin.description + "/…" : request.url.description
        logger.debug("\(request.method.rawValue) \(address): \(outcome), \((time.bootTime - start).wholeMilliseconds) ms")
    }
}
