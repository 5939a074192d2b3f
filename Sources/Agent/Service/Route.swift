/// The agent's routes. The OpenAPI document lists the same, and a test compares them.
enum Route: String, CaseIterable, Sendable {
    case agent, description, providers, sessions, session, tokens, remoteTokens, remoteRevocation, token, adoption, proof, renew, signOut,
        inspect, seal, unlock, lock,
        events
    case activation, derivedCredential, derivedCredentialKeeping
    case signIn, paste, answer, deviceCode, details, cancel, browserReturn, stopWaiting, registration, unregistration, activity
    case command, answerQuestion, stop

    var method: String {
        switch self {
        case .agent, .description, .providers, .sessions, .session, .tokens, .remoteTokens, .seal, .events, .browserReturn, .activity,
            .details:
            "GET"
        case .activation, .derivedCredential, .derivedCredentialKeeping, .token, .adoption, .proof, .renew, .signOut, .inspect, .unlock,
            .lock, .signIn, .paste, .answer, .deviceCode,
            .registration,
            .unregistration, .answerQuestion, .remoteRevocation, .command, .stop:
            "POST"
        case .cancel, .stopWaiting: "DELETE"
        }
    }

    /// The path. `{attempt}` is the id of a sign-in, of a wait for a browser, or of a question.
    var path: String {
        switch self {
        case .agent: "/v1/"
        case .description: "/v1/openapi.json"
        case .providers: "/v1/providers"
        case .sessions: "/v1/sessions"
        case .session: "/v1/session"
        case .tokens: "/v1/session/tokens"
        case .remoteTokens: "/v1/session/remote-tokens"
        case .remoteRevocation: "/v1/session/remote-tokens/revoke"
        case .activation: "/v1/active-account"
        case .token: "/v1/token"
        case .adoption: "/v1/token/adopt"
        case .derivedCredential: "/v1/derived-credential"
        case .derivedCredentialKeeping: "/v1/derived-credential/keep"
        case .proof: "/v1/proof"
        case .renew: "/v1/renew"
        case .signOut: "/v1/sign-out"
        case .inspect: "/v1/inspect"
        case .seal: "/v1/seal"
        case .unlock: "/v1/unlock"
        case .lock: "/v1/lock"
        case .events: "/v1/events"
        case .signIn: "/v1/sign-ins"
        case .paste: "/v1/sign-ins/{attempt}/paste"
        case .answer: "/v1/sign-ins/{attempt}/answer"
        case .deviceCode: "/v1/sign-ins/{attempt}/device-code"
        case .details: "/v1/details"
        case .cancel: "/v1/sign-ins/{attempt}"
        case .browserReturn, .stopWaiting: "/v1/browser-returns/{attempt}"
        case .registration: "/v1/registrations"
        case .unregistration: "/v1/registrations/remove"
        case .activity: "/v1/activity"
        case .command: "/v1/command"
        case .answerQuestion: "/v1/questions/{attempt}"
        case .stop: "/v1/stop"
        }
    }

    /// Whether it is answered while the store is locked: status, unlock, and everything that needs no key.
    var isAllowedWhileLocked: Bool {
        switch self {
        case .agent, .description, .providers, .sessions, .seal, .unlock, .lock, .events, .cancel, .browserReturn, .stopWaiting,
            .details, .answerQuestion, .stop:
            true
        case .session, .tokens, .remoteTokens, .remoteRevocation, .activation, .derivedCredential, .derivedCredentialKeeping, .token,
            .adoption, .proof, .renew, .signOut, .inspect,
            .signIn, .paste, .activity,
            .answer, .deviceCode, .registration, .command,
            .unregistration:
            false
        }
    }

    /// The route for a method and a path.
    enum Match: Equatable {
        case route(Route, attempt: String?)
        /// The path exists, for other methods.
        case wrongMethod(allowed: [String])
        case unknown
    }

    static func match(method: String, path: String) -> Match {
        let found: [(route: Route, attempt: String?)] =
            whole[path]?.map { ($0, nil) } ?? patterns.compactMap { pattern in pattern.attempt(in: path).map { (pattern.route, $0) } }
        if let (route, attempt) = found.first(where: { $0.route.method == method }) { return .route(route, attempt: attempt) }
        return found.isEmpty ? .unknown : .wrongMethod(allowed: found.map(\.route.method))
    }

    /// The routes without a variable part, by path, so that frequent requests need no search.
    private static let whole = Dictionary(grouping: allCases.filter { Pattern($0) == nil }, by: \.path)
    private static let patterns = allCases.compactMap(Pattern.init)

    /// A path with a variable part.
    private struct Pattern {
        let route: Route
        let before: Substring
        let after: Substring

        init?(_ route: Route) {
            guard let mark = route.path.range(of: "{attempt}") else { return nil }
            self.route = route
            before = route.path[..<mark.lowerBound]
            after = route.path[mark.upperBound...]
        }

        /// Returns the value of the variable part; `nil` for another path.
        func attempt(in path: String) -> String? {
            guard path.hasPrefix(before), path.hasSuffix(after), path.utf8.count > before.utf8.count + after.utf8.count else { return nil }
            let attempt = path.dropFirst(before.count).dropLast(after.count)
            return attempt.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } ? String(attempt) : nil
        }
    }

    /// Returns the path to request.
    func target(attempt: String? = nil) -> String {
        guard let attempt, let mark = path.range(of: "{attempt}") else { return path }
        return path[..<mark.lowerBound] + attempt + path[mark.upperBound...]
    }
}

extension String {
    /// Returns the first occurrence of `part`.
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
