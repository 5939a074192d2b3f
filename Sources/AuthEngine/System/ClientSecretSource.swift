package import AuthModel

/// Reads a client secret from its configured source.
package enum ClientSecretSource {
    package static func read(_ source: ProviderConfiguration.SecretSource, environment: [String: String]) async throws(AuthFailure)
        -> Secret
    {
        switch source {
        case .file(let path): return try readFile(path)
        case .command(let arguments):
            return try await CommandOutput(arguments: arguments, environment: environment, deadline: .seconds(30)).firstLine()
        }
    }

    /// Returns the first line of a file that only its owner can read.
    private static func readFile(_ path: String) throws(AuthFailure) -> Secret {
        let hint = UserMessage("hint.write_secret_and_chmod", ["path": path])
        let contents = try PrivateFileReader.contents(of: path, called: "phrase.client_secret_file", hint: hint)
        let line = contents.withBytes { Secret(bytes: $0.prefix { $0 != 0x0A && $0 != 0x0D }) }
        guard !line.isEmpty else {
            throw AuthFailure(
                .configuration, UserMessage("client.secret_file_empty", ["path": path]), hint: "hint.write_secret_on_first_line")
        }
        return line
    }
}
