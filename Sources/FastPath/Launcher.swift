import CLauncher
import CProcess
import CVersion

/// The `yett` command: a small static program that becomes the full program.
///
/// It starts much faster than the full program, so it answers frequent requests itself. It uses only raw buffers and C library calls,
/// because the first `String` would take longer than everything else.
public enum Launcher {
    /// Replaces this process with the full program, with the same arguments, environment and open files.
    ///
    /// The first argument is replaced with `yett`, regardless of the launcher's file name.
    ///
    /// - Returns: only on failure, after writing an error to standard error: the exit code 2.
    public static func becomeProgram() -> Int32 {
        let arguments = cprocess_arguments()
        let name: StaticString = "yett"
        // execv declares its strings as mutable for historical reasons, but does not modify them.
        arguments[0] = UnsafeMutablePointer(mutating: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
        let bufferSize = Int(PATH_MAX)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { launcher in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { location in
                reportError(failure(becomingProgramWith: arguments, launcher: launcher, location: location))
            }
        }
    }

    /// Ends this process.
    public static func end(with status: Int32) -> Never { exit(status) }

    /// Tries the locations in order; returns only if none contains a program that can be run.
    private static func failure(
        becomingProgramWith arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        launcher: UnsafeMutableBufferPointer<CChar>, location: UnsafeMutableBufferPointer<CChar>
    ) -> LauncherError {
        guard let launcherStart = launcher.baseAddress, let path = location.baseAddress else { return .ownLocationUnknown }
        let count = cprocess_own_path(launcherStart, launcher.count)
        guard count > 0 else { return .ownLocationUnknown }
        var launchError = LauncherError.programMissing
        for candidate in ProgramLocation.allCases {
            guard candidate.write(relativeTo: UnsafeBufferPointer(start: launcherStart, count: count), into: location) else { continue }
            if access(path, X_OK) == 0, let library = RequiredLibrary.missing(for: path) { return .libraryMissing(library) }
            execv(path, arguments)
            // Reports an existing program that cannot be run instead of a missing one.
            if claunch_errno() != ENOENT && claunch_errno() != ENOTDIR { launchError = .programUnusable }
        }
        return launchError
    }

    private static func reportError(_ launchError: LauncherError) -> Int32 {
        let text = launchError.text
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        return 2
    }

    /// Handles a frequent command without the full program: `--version`, and through the agent `token`, the credential helpers and
    /// `status`.
    ///
    /// - Returns: the exit status, or `nil` if the full program must continue: for any other command line, without an agent, for a
    ///   terminal, for a locked store, or after any failure. Nothing was written then. The agent's response to a token request, or its
    ///   silence, is passed to the program through ``ProgramHandoff``, so that the agent is not asked twice.
    public static func exitStatus() -> Int32? {
        ProgramHandoff.clear()
        let line = CommandLineArguments(count: cprocess_argument_count(), arguments: cprocess_arguments())
        if line.count == 2, line.is("--version", at: 1) { return printVersion() }
        // The program knows the terminal's size and colours, and prints no secret there.
        guard isatty(STDOUT_FILENO) == 0 else { return nil }
        let environment = LauncherEnvironment.own()
        if let request = AgentTokenRequest(line, environment: environment) { return exitStatus(of: request) }
        return AgentCommandRequest(line, environment: environment).flatMap { exitStatus(of: $0) }
    }

    private static func printVersion() -> Int32? {
        guard let text = cversion_text() else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(plain: text)
            writer.append("\n")
            guard writer.isValid, print(UnsafeRawBufferPointer(rebasing: buffer[..<writer.count])) else { return nil }
            return 0
        }
    }

    // MARK: yett token SESSION

    private static func exitStatus(of request: AgentTokenRequest) -> Int32? {
        guard let agent = AgentSocket(request.environment) else { return nil }
        defer { agent.close() }
        return withWipedBuffer(bytes: 16_384) { buffer in
            guard agent.send(request, in: buffer) else { return nil }
            switch agent.receive(into: buffer) {
            case .complete(let answer, let count):
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                guard let token = answer.token(in: bytes) else {
                    ProgramHandoff.pass(answer, in: bytes)
                    return nil
                }
                // The newline replaces the quote after the token.
                buffer[token.upperBound] = UInt8(ascii: "\n")
                return print(UnsafeRawBufferPointer(rebasing: buffer[token.lowerBound...token.upperBound])) ? 0 : nil
            case .silent:
                ProgramHandoff.passUnresponsiveAgent(of: agent.process)
                return nil
            case .truncated:
                return nil
            }
        }
    }

    // MARK: Commands that run in the agent

    private static func exitStatus(of request: AgentCommandRequest) -> Int32? {
        guard let agent = AgentSocket(request.environment) else { return nil }
        defer { agent.close() }
        guard request.readsInput else { return exitStatus(of: request, by: agent) }
        guard isatty(STDIN_FILENO) == 0 else { return nil }
        return withWipedBuffer(bytes: StandardInput.limit) { buffer in
            let input = StandardInput.read(into: buffer)
            var request = request
            request.input = input
            guard let status = exitStatus(of: request, by: agent) else {
                StandardInput.putBack(input)
                return nil
            }
            return status
        }
    }

    private static func exitStatus(of request: AgentCommandRequest, by agent: AgentSocket) -> Int32? {
        // A list of a thousand sessions fits.
        withWipedBuffer(bytes: request.printsList ? 1 << 20 : 1 << 16) { buffer in
            guard agent.send(request, in: buffer) else { return nil }
            switch agent.receive(into: buffer) {
            case .complete(let answer, let count):
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                guard let result = AgentCommandResponse(answer, in: bytes) else { return nil }
                guard print(UnsafeRawBufferPointer(rebasing: bytes[result.output])) else { return nil }
                _ = print(UnsafeRawBufferPointer(rebasing: bytes[result.diagnostics]), to: STDERR_FILENO)
                return result.status
            case .silent:
                ProgramHandoff.passUnresponsiveAgent(of: agent.process)
                return nil
            case .truncated:
                return nil
            }
        }
    }

    // MARK: Bytes

    /// Calls `body` with a buffer that is overwritten afterwards, because it may contain a token.
    private static func withWipedBuffer(bytes count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int32?) -> Int32? {
        // Not `withUnsafeTemporaryAllocation`: for this size it reads `/proc/self/maps` to check the stack space.
        guard let base = malloc(count) else { return nil }
        defer {
            explicit_bzero(base, count)
            free(base)
        }
        return body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// Writes all bytes; returns false if nothing could be written. Exits if the write fails after a part, because a retry would repeat the
    /// output.
    private static func print(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
        var index = 0
        while index < bytes.count, let base = bytes.baseAddress {
            let done = write(descriptor, base + index, bytes.count - index)
            if done < 0, claunch_errno() == EINTR { continue }
            guard done > 0 else {
                guard index > 0 else { return false }
                _exit(1)
            }
            index += done
        }
        return true
    }

    /// Protects this process's memory from other programs of the same user before it receives a token: no core file, no debugger, no
    /// reading through `/proc`. The program that the launcher becomes protects its own memory.
    ///
    /// If the kernel refuses, the launcher continues: the full program would also refuse, only later.
    public static func closeMemory() { _ = cprocess_forbid_dumps() }
}

extension AgentSocket {
    /// Writes a request to the buffer and sends it; returns false on failure.
    fileprivate func send(_ request: some LauncherRequest, in buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let length = request.write(request: buffer)
        return length > 0 && send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length]))
    }
}

/// The reason why the launcher could not start the full program.
enum LauncherError {
    /// The kernel does not report the location of this program.
    case ownLocationUnknown
    /// The program is in none of its locations.
    case programMissing
    /// The program exists, but the kernel refuses to run it.
    case programUnusable
    /// The program is linked with a library that the system's loader cannot find.
    case libraryMissing(RequiredLibrary)

    var text: StaticString {
        switch self {
        case .libraryMissing(let library): library.message
        case .ownLocationUnknown:
            """
            yett: error: cannot find where yett is installed
            yett: hint: start it by its full path

            """
        case .programMissing:
            """
            yett: error: yett-main is missing
            yett: hint: build or install both again; yett-main must be next to yett or in ../libexec/yett

            """
        case .programUnusable:
            """
            yett: error: yett-main cannot be run
            yett: hint: build or install yett-main again, for this machine

            """
        }
    }
}
