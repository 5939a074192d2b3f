internal import Agent
internal import AuthModel
internal import Glibc
internal import Localization

/// Gets tokens for a command. Asks for consent at the terminal if the token policy requires it and no app is open to ask.
struct ConsentPrompt {
    let context: CommandContext
    /// The answer so far, so that one command asks only once.
    private var givenConsent: TokenRequest.Consent?

    init(context: CommandContext) { self.context = context }

    mutating func token(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        try await asking(request) { (request) async throws(AuthFailure) in try await service.token(request) }
    }

    /// Runs `body` with a request, and once more with the user's answer if the policy requires consent.
    mutating func asking<Value>(
        _ request: TokenRequest, _ body: (TokenRequest) async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        var request = request
        request.consent = givenConsent
        if context.edges.sessionService != nil {
            // The full program asks.
            request.asking = .noPrompt
            return try await body(request)
        }
        // At the standard streams, or at the controlling terminal if the program that wants the token uses the streams.
        guard context.canAsk || context.edges.userPresence().canAnswerAtTerminal else { return try await body(request) }
        request.asking = .caller
        do throws(AuthFailure) {
            return try await body(request)
        } catch {
            guard error.needsConsent else { throw error }
        }
        // The session service also needs a refusal: it records it and provides the error message.
        givenConsent = try await consent(to: request)
        request.consent = givenConsent
        return try await body(request)
    }

    private func consent(to request: TokenRequest) async throws(AuthFailure) -> TokenRequest.Consent {
        let limit = TokenConsentRequest.timeLimit
        let process = request.client ?? getpid()
        let asker = (Caller.clientMessage(request.client) ?? Caller(process: getpid(), user: getuid()).message).english
        let what =
            switch request.subject {
            case .list?: "the list of roles"
            case .credentials(let role)?: "credentials of only the role \(role)"
            case nil: request.wanted == .id ? "the ID token" : "the token"
            }
        let question =
            "\(asker) (process \(process)) asks for \(what) of \(request.session)\(request.restrictions.note.english)\(purpose(of: request))."
        let (streams, time, console) = (context.edges.streams, context.edges.time, context.console)
        // Another program may ask first, and the time begins with the question.
        let (asking, asked) = AsyncStream.makeStream(of: Void.self)
        let answer = await withTaskGroup(of: Answer.self) { group in
            group.addTask {
                let line = await streams.typedLine { write in
                    asked.yield()
                    let terminal = console.writing(write)
                    terminal.note(question)
                    terminal.ask("Allow? \(limit.wholeSeconds) seconds [y/N]")
                }
                return .line(line)
            }
            group.addTask {
                guard await asking.first(where: { true }) != nil else { return .line(nil) }
                return (try? await time.sleep(until: time.bootTime + limit)) == nil ? .line(nil) : .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
        switch answer {
        case .line(let text?): return ["y", "yes"].contains(text.trimmed.lowercased()) ? .given : .refused
        case .line(nil):
            context.console.note("")
            guard !Task.isCancelled else { throw AuthFailure(.cancelled, text: "the request was not answered") }
            return .refused
        case .late:
            context.console.note("")
            return .unanswered
        }
    }

    /// Returns what the token is for. A command with several URLs asks once, so a resource does not count. A part of the destination may
    /// come from a server, so it is short and has no space with which it could look like another row.
    private func purpose(of request: TokenRequest) -> String {
        // The role is named already.
        let destination = (request.subject == nil ? request.destination : nil).map {
            $0.filter { !$0.isWhitespace }.prefix(bytes: TokenRequest.destinationLimit)
        }
        let parts = [request.caller?.english, destination].compactMap(\.self)
        return parts.isEmpty ? "" : ", for " + parts.joined(separator: ", ")
    }

    private enum Answer: Sendable {
        case line(String?)
        case late
    }
}
