internal import Agent
internal import AuthEngine
internal import AuthModel
internal import MCPBridge
internal import OAuth

/// The sign-in that the requests of a bridge wait for, and the page where the user starts it. There is one for all of them.
struct AskedSignIn {
    /// A sign-in that the user is asked for.
    struct Current {
        /// Identifies it for the client.
        let id: String
        var wanted: WantedSignIn
        /// Whether a server caused it by a refusal, and not the lack of a token.
        var isRefusal: Bool
        /// The failures of the requests that want it.
        var failures: [AuthFailure]
        /// The time since boot at which it ends if no request names it again.
        var end: Duration
        /// The number of the page's offer; `nil` until a client was led to the page.
        var number: Int?
        /// Whether a task ends it at ``end``.
        var isTimed = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    var current: Current?
    /// The open page, and the task that follows the clicks there.
    var page: (listener: StartPageListener, clicks: Task<Void, Never>)?
    /// The page that is being opened, once for all requests that need it.
    var opening: Task<StartPageListener?, Never>?
    /// The time of the last sign-in for each set of scopes that a server wanted. It may not ask for the same again at once.
    var signInTimes: [[String]: Timestamp] = [:]
    /// The last one that has ended, and whether by a sign-in.
    var last: (id: String, isSignedIn: Bool)?
    var waitCount = 0
    var isOver = false
}

/// Asking the user at a page: for sign-ins that the bridge may not start by itself.
extension MCPCredentials {
    /// The time for which a page waits after the last request that names it.
    private static let pageLifetime = Duration.seconds(600)
    /// The time after a sign-in in which a server cannot have the same one again.
    private static let pause = Duration.seconds(3600)
    /// The maximum number of different failures that lead to one page.
    private static let failureLimit = 64

    private static func randomID() -> String { Base64URL.encode([UInt8].random(count: 16)) }

    /// Notes a sign-in that needs the user's own step, and returns the failure that says so.
    func ask(for wanted: WantedSignIn, because failure: AuthFailure, isRefusal: Bool) -> AuthFailure {
        if isRefusal, let last = askedSignIn.signInTimes[wanted.arguments], context.now - last < Self.pause { return failure }
        let end = context.edges.time.bootTime + Self.pageLifetime
        guard var current = askedSignIn.current, let both = current.wanted.joined(with: wanted) else {
            endAsking(isSignedIn: false)
            askedSignIn.current = AskedSignIn.Current(
                id: Self.randomID(), wanted: wanted, isRefusal: isRefusal, failures: [failure], end: end)
            return failure
        }
        // The page shows what has changed when a client is led to it.
        if both != current.wanted { (current.wanted, current.number) = (both, nil) }
        current.isRefusal = current.isRefusal || isRefusal
        if !current.failures.contains(failure) { current.failures = (current.failures + [failure]).suffix(Self.failureLimit) }
        current.end = end
        askedSignIn.current = current
        return failure
    }

    func signInPage(for failure: AuthFailure) async -> SignInOffer? {
        // The user of forwarded sessions is at another machine, and cannot open a page of this one.
        guard askedSignIn.current?.failures.contains(failure) == true, context.agentLocation.remoteSocket == nil,
            let listener = await page(), var current = askedSignIn.current, current.failures.contains(failure)
        else { return nil }
        if current.number == nil {
            // The page cannot show claims that a server asks for, so the user sees the whole command instead.
            guard current.wanted.claims == nil,
                let page = StartPage(host: address.origin.authority, session: current.wanted.target, scopes: current.wanted.added)
            else { return nil }
            current.number = listener.offer(page)
            if !current.isTimed { endLater(current.id) }
            current.isTimed = true
            askedSignIn.current = current
        }
        return SignInOffer(id: current.id, address: listener.address)
    }

    /// Returns the page; `nil` if no port can be opened.
    private func page() async -> StartPageListener? {
        if let page = askedSignIn.page { return page.listener }
        let opening = askedSignIn.opening ?? Task { try? await StartPageListener.open() }
        askedSignIn.opening = opening
        let listener = await opening.value
        if askedSignIn.opening == opening { askedSignIn.opening = nil }
        if let page = askedSignIn.page { return page.listener }
        guard let listener, !askedSignIn.isOver else { return nil }
        let clicks = listener.clicks
        askedSignIn.page = (listener, Task { for await number in clicks { await self.start(number) } })
        return listener
    }

    /// Signs in after the user's click.
    private func start(_ number: Int) async {
        guard let current = askedSignIn.current, current.number == number, let failure = current.failures.last else { return }
        do throws(AuthFailure) {
            try await login(current.wanted, because: failure, isRefusal: current.isRefusal)
            askedSignIn.signInTimes[current.wanted.arguments] = context.now
            endAsking(current.id, isSignedIn: true)
        } catch {
            // The page can be used again, until its time is over.
            guard askedSignIn.current?.id == current.id else { return }
            askedSignIn.current?.number = nil
            _ = await signInPage(for: failure)
        }
    }

    /// Ends the wait for a page that is not used.
    private func endLater(_ id: String) {
        let time = context.edges.time
        Task { [weak self] in
            while let end = await self?.end(of: id) {
                guard time.bootTime < end else {
                    await self?.endAsking(id, isSignedIn: false)
                    return
                }
                guard (try? await time.sleep(until: end)) != nil else { return }
            }
        }
    }

    private func end(of id: String) -> Duration? {
        guard let current = askedSignIn.current, current.id == id else { return nil }
        return signingIn == nil ? current.end : max(current.end, context.edges.time.bootTime + Self.pageLifetime)
    }

    /// Notes that there is a token: a sign-in elsewhere ends the wait for one.
    func noteToken() {
        guard let current = askedSignIn.current, !current.isRefusal, current.wanted.added.isEmpty, signingIn == nil else { return }
        endAsking(isSignedIn: true)
    }

    private func endAsking(_ id: String, isSignedIn: Bool) {
        if askedSignIn.current?.id == id { endAsking(isSignedIn: isSignedIn) }
    }

    private func endAsking(isSignedIn: Bool) {
        guard let current = askedSignIn.current else { return }
        (askedSignIn.current, askedSignIn.last) = (nil, (current.id, isSignedIn))
        askedSignIn.page?.listener.withdraw()
        for waiting in current.waiting.values { waiting.resume(returning: isSignedIn) }
    }

    func signInEnded(_ id: String?) async -> Bool {
        guard let current = askedSignIn.current, id == nil || id == current.id else {
            return id == nil || askedSignIn.last.map { $0.id == id && $0.isSignedIn } ?? false
        }
        askedSignIn.waitCount += 1
        let wait = askedSignIn.waitCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                askedSignIn.current?.waiting[wait] = continuation
            }
        } onCancel: {
            Task { await self.stopWaiting(wait) }
        }
    }

    private func stopWaiting(_ wait: Int) { askedSignIn.current?.waiting.removeValue(forKey: wait)?.resume(returning: false) }

    /// Ends the wait and closes the page.
    func closePage() async {
        askedSignIn.isOver = true
        endAsking(isSignedIn: false)
        askedSignIn.page?.clicks.cancel()
        await askedSignIn.page?.listener.close()
        askedSignIn.page = nil
    }
}

/// A sign-in that a request of a bridge needs, as the command that the user could run.
struct WantedSignIn: Equatable {
    /// The session, the provider or the server's URL.
    let target: String
    /// The options for a provider without a session, which the command line of the bridge has.
    var options: [String] = []
    /// Whether it replaces a session that seems to be valid.
    var isForced = false
    /// The scopes that the command names.
    var scopes: [String] = []
    /// Those of them that the session does not have.
    var added: [String] = []
    var contextClasses: [String] = []
    var maxAge: Int?
    var claims: String?
    /// Whether the user must sign in at the provider, although a session there may be open.
    var repeatsLogin = false

    init(target: String, options: [String] = []) { (self.target, self.options) = (target, options) }

    /// The arguments of `yett login`. An option and its value are one word: a value that a server chose is never taken for an option.
    var arguments: [String] {
        var words = [target] + (isForced ? ["--force"] : []) + options + scopes.map { "--scope=\($0)" }
        if !contextClasses.isEmpty { words.append("--acr-values=" + contextClasses.joined(separator: " ")) }
        if let maxAge { words.append("--max-age=\(maxAge)") }
        if let claims { words.append("--claims=\(claims)") }
        return words + (repeatsLogin ? ["--prompt", "login"] : [])
    }

    /// Returns a sign-in that meets both wants; `nil` if no single one does.
    func joined(with other: WantedSignIn) -> WantedSignIn? {
        guard target == other.target, options == other.options, claims == nil || other.claims == nil || claims == other.claims,
            contextClasses.isEmpty || other.contextClasses.isEmpty || contextClasses == other.contextClasses
        else { return nil }
        var both = self
        both.isForced = isForced || other.isForced
        both.scopes = ScopeSet(scopes + other.scopes).values
        both.added = ScopeSet(added + other.added).values
        both.contextClasses = contextClasses.isEmpty ? other.contextClasses : contextClasses
        both.maxAge = [maxAge, other.maxAge].compactMap(\.self).min()
        both.claims = claims ?? other.claims
        both.repeatsLogin = false
        both.repeatsLogin = both.arguments.count == 1 && (repeatsLogin || other.repeatsLogin)
        return both
    }
}
