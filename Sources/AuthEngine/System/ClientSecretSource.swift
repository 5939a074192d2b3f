package import AuthModel
package import OAuth
import OperatingSystem

/// Reads a client secret, or the assertion of a workload, from its configured source.
package enum ClientSecretSource {
    /// The kind of secret to read.
    package enum Content: Sendable {
        case clientSecret
        case assertion

        fileprivate var file: UserMessage { self == .clientSecret ? "phrase.client_secret_file" : "phrase.assertion_file" }

        /// Returns what to do about a file that cannot be read.
        fileprivate func hint(_ path: String) -> UserMessage {
            self == .clientSecret ? UserMessage("hint.write_secret_and_chmod", ["path": path]) : "hint.check_assertion_source"
        }

        /// Returns what to do about a file that others can read; `nil` for the usual command. A platform may not let its mode be changed.
        fileprivate func hintForOthers(_ path: String) -> UserMessage? {
            self == .clientSecret ? nil : UserMessage("hint.assertion_file_or_command", ["path": path])
        }

        fileprivate func empty(_ path: String) -> AuthFailure {
            self == .clientSecret
                ? AuthFailure(
                    .configuration, UserMessage("client.secret_file_empty", ["path": path]), hint: "hint.write_secret_on_first_line")
                : AuthFailure(
                    .configuration, UserMessage("assertion.file_empty", ["path": path]), hint: "hint.write_assertion_on_first_line")
        }

        fileprivate func failed(_ command: String, because reason: UserMessage) -> AuthFailure {
            self == .clientSecret
                ? AuthFailure(
                    .configuration, UserMessage("client.secret_command_failed", ["command": command, "reason": reason]),
                    hint: "hint.run_secret_command")
                : AuthFailure(
                    .configuration, UserMessage("assertion.command_failed", ["command": command, "reason": reason]),
                    hint: "hint.run_assertion_command")
        }
    }

    /// Returns the first line of the source. It is read anew each time, because secrets and assertions are replaced while sessions live.
    package static func read(
        _ source: ProviderConfiguration.SecretSource, as content: Content = .clientSecret, environment: [String: String]
    ) async throws(AuthFailure) -> Secret {
        switch source {
        case .file(let path): return try readFile(path, as: content)
        case .command(let arguments):
            return try await CommandOutput(arguments: arguments, content: content, environment: environment, deadline: .seconds(30))
                .firstLine()
        }
    }

    /// Returns the first line of a file that only its owner can read.
    private static func readFile(_ path: String, as content: Content) throws(AuthFailure) -> Secret {
        let contents = try PrivateFileReader.contents(
            of: path, called: content.file, hint: content.hint(path), hintForOthers: content.hintForOthers(path))
        let line = contents.withBytes { Secret(bytes: $0.prefix { $0 != 0x0A && $0 != 0x0D }) }
        guard !line.isEmpty else { throw content.empty(path) }
        return line
    }
}

extension ProviderConfiguration {
    /// Returns the client's secret if one of these header fields has it; `nil` otherwise.
    package func secret(for fields: [String: String], environment: [String: String]) async throws(AuthFailure) -> Secret? {
        guard let clientSecret, fields.values.contains(where: { $0.contains(SecretPlaceholder.text) }) else { return nil }
        return try await ClientSecretSource.read(clientSecret, environment: environment)
    }
}

/// Reads a client's private key from a PEM file that only its owner can read.
package enum ClientKeyFile {
    private static let hint: UserMessage = "hint.name_client_key_file"

    /// Reads the key.
    ///
    /// - Throws: `.configuration`, naming the file, if it cannot be read, others can read it, or it holds no supported key.
    package static func read(_ path: String, keyID: String?) throws(AuthFailure) -> SigningKey {
        let bytes = try PrivateFileReader.contents(of: path, called: "client_key_file", hint: hint)
        do throws(OAuthError) {
            return try SigningKey(pem: bytes, keyID: keyID)
        } catch {
            throw AuthFailure(
                .configuration, UserMessage("key.client_key_file_error", ["path": path, "detail": error.failure.message]), hint: hint)
        }
    }

    /// Checks that the file can be read and that only its owner can read it.
    ///
    /// - Throws: `.configuration`, naming the file.
    package static func check(_ path: String) throws(AuthFailure) {
        _ = try PrivateFileReader.contents(of: path, called: "client_key_file", hint: hint)
    }
}

/// A file that the configuration or the environment names, and that all users may read.
enum ConfiguredFile {
    struct Unreadable: Error {
        var message: UserMessage
    }

    /// Returns the content of a regular file of 16 MB at most, or why it cannot be read.
    static func contents(of path: String) -> Result<[UInt8], Unreadable> {
        do throws(RegularFile.Failure) {
            return .success(try RegularFile.read(path, limit: 16 << 20))
        } catch {
            switch error {
            case .system(let error): return .failure(Unreadable(message: .verbatim(error.text)))
            case .tooLarge: return .failure(Unreadable(message: "phrase.larger_than_16_mb"))
            case .notRegular, .foreignOwner, .accessibleToOthers: return .failure(Unreadable(message: "phrase.not_a_file"))
            }
        }
    }
}

/// A small file with a secret, which only its owner can read.
enum PrivateFileReader {
    private static let limit = 64 << 10

    /// Returns the content of the file.
    ///
    /// - Parameters:
    ///   - name: what the file is called in the configuration.
    ///   - hint: what to do if the file is missing or of no use.
    ///   - hintForOthers: what to do if other users can read it; `nil` for the command that changes it.
    /// - Throws: `.configuration`, naming the file, when it cannot be read, is not a regular file, is larger than 64 KiB, or can be read by
    ///   other users.
    static func contents(
        of path: String, called name: UserMessage, hint: UserMessage, hintForOthers: UserMessage? = nil
    ) throws(AuthFailure) -> Secret {
        do throws(RegularFile.Failure) {
            return Secret(bytes: try RegularFile.read(path, limit: limit, access: .owner, checksOwner: false))
        } catch {
            switch error {
            case .system(let error):
                throw AuthFailure(
                    .configuration, UserMessage("file.named_unreadable", ["name": name, "path": path, "detail": error.text]), hint: hint)
            case .notRegular:
                throw AuthFailure(.configuration, UserMessage("file.named_not_a_file", ["name": name, "path": path]), hint: hint)
            case .foreignOwner, .accessibleToOthers:
                throw AuthFailure(
                    .configuration, UserMessage("file.named_readable_by_others", ["name": name, "path": path]),
                    hint: hintForOthers ?? UserMessage("hint.chmod_600", ["path": path]))
            case .tooLarge:
                throw AuthFailure(
                    .configuration, UserMessage("file.named_too_large", ["name": name, "path": path, "limit": limit >> 10]), hint: hint)
            }
        }
    }
}

/// Runs a command of the configuration for the first line that it prints: an argument vector, never a shell, with a deadline.
///
/// The command shares standard error with this process, so that a password manager can ask the user.
struct CommandOutput: Sendable {
    let arguments: [String]
    var content = ClientSecretSource.Content.clientSecret
    let environment: [String: String]
    let deadline: Duration

    private static let limit = 65_536

    /// Returns the first line without its end.
    ///
    /// - Throws: `.configuration` if the command cannot be started, fails, prints nothing or more than 64 KiB, or misses the deadline.
    func firstLine() async throws(AuthFailure) -> Secret {
        let result: Result<Secret, AuthFailure> = await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start { continuation.resume(returning: run()) }
            if !isStarted { continuation.resume(returning: .failure(failure("process.cannot_start_thread"))) }
        }
        return try result.get()
    }

    private func failure(_ reason: UserMessage) -> AuthFailure { content.failed(arguments.first ?? "", because: reason) }

    private func run() -> Result<Secret, AuthFailure> {
        do throws(CapturedOutput.Failure) {
            let output = try CapturedOutput.run(
                arguments.first ?? "", Array(arguments.dropFirst()), environment: environment, limit: Self.limit, deadline: deadline)
            guard output.status == 0 else { return .failure(failure(UserMessage("phrase.ended_with_status", ["status": output.status]))) }
            let line = output.bytes.prefix { $0 != 0x0A && $0 != 0x0D }
            return line.isEmpty ? .failure(failure("phrase.printed_nothing")) : .success(Secret(bytes: line))
        } catch {
            switch error {
            case .system(let error): return .failure(failure(.verbatim(error.text)))
            case .timedOut: return .failure(failure(UserMessage("phrase.did_not_finish_in_time", ["seconds": deadline.wholeSeconds])))
            case .tooLarge: return .failure(failure("phrase.printed_too_much"))
            }
        }
    }
}
