internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OAuth

/// `yett helper cargo`: a credential provider of cargo (The Cargo Book, "Credential Provider Protocol", version 1).
struct CargoHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "cargo", abstract: "Act as a credential provider of cargo.",
        discussion: """
            cargo runs a program with --cargo-plugin alone, so yett setup cargo creates one that runs this command, and speaks over standard \
            input and output. It answers for registries whose index is at a host in api_hosts only. The token is sent as Bearer; \
            --plain-token after the program in credential-provider leaves that word out, for a registry that expects the token alone.
            """)
    static let examples: KeyValuePairs = [
        "yett helper cargo --cargo-plugin": "Answers cargo; the program cargo-credential-yett runs this."
    ]

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("--plain-token, and what cargo adds.", valueName: "words"))
    var words: [String] = []

    func validate() throws {
        if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(self) }
        guard Set(words).isSubset(of: ["--plain-token", "--cargo-plugin"]) else {
            throw ValidationError("cargo runs: yett helper cargo --cargo-plugin")
        }
    }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "cargo")
        try context.console.lines([JSONValue.members(("v", .array([1]))).text])
        // cargo asks once, or more often with one provider; the end of input ends it.
        while let line = await context.edges.streams.exactLine(), !line.isEmpty {
            try context.console.secret(Secret(try await answer(to: line, in: context).text))
        }
    }

    private func answer(to line: String, in context: CommandContext) async throws -> JSONValue {
        guard let request = try? JSONValue(strict: line), request["v"] == 1, let kind = request["kind"]?.string,
            let index = request["registry"]?["index-url"]?.string
        else { return Self.error("other", "the request is not of version 1 of the protocol") }
        guard kind == "get" else { return Self.error("operation-not-supported") }
        let address = index.hasPrefix("sparse+") ? String(index.dropFirst("sparse+".count)) : index
        do throws(AuthFailure) {
            guard let answer = try await context.token(for: address, tool: "cargo") else {
                context.warnNoToken(for: address)
                return Self.error("url-not-supported")
            }
            // cargo passes on the words of the configuration in the request.
            let isPlain = (words + (request["args"]?.strings ?? [])).contains("--plain-token")
            var members: [JSONValue.Member] = [
                .init("kind", "get"),
                .init("token", .string((isPlain ? answer.issued.token : try context.headerField(of: answer.issued).value).reveal())),
            ]
            if let end = answer.issued.expiresAt {
                members += [.init("cache", "expires"), .init("expiration", .number(String(end.seconds)))]
            } else {
                members.append(.init("cache", "never"))
            }
            return .members(("Ok", .object(members + [.init("operation_independent", true)])))
        } catch {
            guard error.kind != .notSignedIn else { return Self.error("not-found") }
            return Self.error("other", [error.summary, error.hintText].compactMap(\.self).joined(separator: "; "))
        }
    }

    private static func error(_ kind: String, _ message: String? = nil) -> JSONValue {
        guard let message else { return .members(("Err", .members(("kind", .string(kind))))) }
        return .members(("Err", .members(("kind", .string(kind)), ("message", .string(message)), ("caused-by", .array([])))))
    }
}
