import AuthEngine
import AuthModel
import Fuzzing
import Localization
import OAuth
import ProviderKinds
import Sandbox
import SessionStore
import TestSupport

/// Runs one test case. It starts with a sign-in at the undamaged provider, so that there is a session to lose.
struct HostileTestRunner {
    let provider: HostileProvider
    let testCase: HostileTestCase

    private var clientID: String { testCase.scene == .introspection ? "yett-confidential" : "yett" }

    /// The parts of an engine for this test case.
    struct EngineParts {
        var store: SessionStore
        var time: any TimeSource
        var transport: WatchedTransport
        var name: ProviderName
        var configuration: ProviderConfiguration

        func engine() -> Engine {
            Engine(
                providers: [configuration], store: store,
                environment: EngineEnvironment(
                    makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil))
        }
    }

    /// Runs the test case.
    /// - Returns: the failure of the operation; `nil` if it succeeded correctly.
    /// - Throws: `BrokenProperty` if a check fails.
    func run() async throws -> AuthFailure? {
        let parts = try await makeParts()
        await provider.begin([], faults: .none)
        let earlier: SessionSummary
        do {
            earlier = try await signIn(parts, isHonest: true).get()
        } catch let failure as AuthFailure {
            throw BrokenProperty("the sign-in at the honest provider failed: \(failure.summary)")
        }
        guard let before = try await parts.store.record(earlier.name) else { throw BrokenProperty("the honest session is not stored") }
        await provider.begin(testCase.damages, faults: FaultSet(testCase.faults))
        let count = parts.transport.requests.count
        // Short, so that a hanging response does not slow the run. Harmless cases wait longer, because a slow machine is no failure.
        if !testCase.isHarmless { parts.transport.wait(atMost: .seconds(2)) }
        // A new engine, which knows nothing about the provider yet.
        let failure: AuthFailure? =
            switch testCase.scene {
            case .browser, .pushed, .proof, .device: try await attempt(parts, before)
            case .signedUserInfo: try await attempt(parts, before)
            case .renewal: try await renew(parts, before)
            case .signOut: try await signOut(parts, before)
            case .registration: try await register(parts)
            case .introspection: try await introspect(parts, before)
            case .resource: try await discoverResource(parts)
            case .endSession: try await endSession(parts, before)
            }
        try check(requests: Array(parts.transport.requests[count...]))
        if testCase.isHarmless, let failure {
            throw BrokenProperty("refuses an allowed response: \(failure.summary)")
        }
        return failure
    }

    private func makeParts() async throws -> EngineParts {
        guard let issuer = Issuer(provider.issuer), let url = WebURL(provider.issuer), let name = ProviderName("hostile") else {
            throw BrokenProperty("the provider has no issuer")
        }
        let system = SystemTimeSource()
        let time: any TimeSource =
            switch testCase.scene {
            // With this clock, polls take no time, and the attempt's deadline is too far away to be skipped.
            case .device: HastyTime(over: system)
            // Nothing hangs, so only a busy machine could reach the limit of a sign-out.
            case .endSession where testCase.isHarmless: ManualTime(now: system.now)
            default: system
            }
        var configuration = ProviderConfiguration(
            name: name, kind: .oidc, issuer: issuer, clientID: clientID,
            scopes: ["openid", "profile", "email", "offline_access"])
        configuration.loginTimeout = .seconds(3000)
        switch testCase.scene {
        case .pushed: configuration.pushedRequests = .required
        case .proof: configuration.proofs = .required
        case .introspection: configuration.clientSecret = .command(["/usr/bin/printf", "confidential-secret-0123456789"])
        case .endSession:
            configuration.postLogoutRedirects = [.standard]
            // How long the engine waits for the browser.
            configuration.loginTimeout = testCase.isHarmless ? WatchedTransport.unhurried : .seconds(3)
        default: break
        }
        return EngineParts(
            store: try await .open(directory: "/", source: .memory, time: time), time: time,
            transport: WatchedTransport(origin: url.origin), name: name, configuration: configuration)
    }

    var validator: ResultValidator {
        ResultValidator(
            issuer: provider.issuer, clientID: clientID, key: provider.key, evidence: provider.evidence, now: SystemTimeSource().now)
    }

    // MARK: Operations

    private func attempt(_ parts: EngineParts, _ before: SessionRecord) async throws -> AuthFailure? {
        let result = try await signIn(parts, isHonest: testCase.isHarmless)
        switch result {
        case .success(let summary):
            guard let record = try await parts.store.record(summary.name) else { throw BrokenProperty("the session is not stored") }
            try validator.check(record, testCase.scene)
            return nil
        case .failure(let failure):
            try validator.check(failure)
            try await checkNothingChanged(parts, before)
            return failure
        }
    }

    private func signIn(_ parts: EngineParts, isHonest: Bool) async throws -> Result<SessionSummary, AuthFailure> {
        var request = SignInRequest(provider: parts.name)
        request.flow = testCase.scene == .device ? .device : .browser
        request.timeout = .seconds(3000)
        // Long enough for a slow machine, and short enough that a hanging response does not slow the run.
        if !isHonest, !testCase.isHarmless, testCase.scene != .device { request.timeout = .seconds(3) }
        let engine = parts.engine()
        let attempt = try await engine.signIn(request)
        var result: Result<SessionSummary, AuthFailure>?
        for await event in attempt.events {
            try validator.check(text: "\(event)")
            switch event {
            case .available(.browser(let url, _)): Task { await Browser().visit(url) }
            case .finished(let end): result = end
            default: break
            }
        }
        guard let result else { throw BrokenProperty("the attempt ended without a result") }
        return result
    }

    private func renew(_ parts: EngineParts, _ before: SessionRecord) async throws -> AuthFailure? {
        do throws(AuthFailure) {
            _ = try await parts.engine().renew(before.summary.name)
        } catch {
            try validator.check(error)
            let after = try await parts.store.record(before.summary.name)
            try BrokenProperty.unless(after?.identity == before.identity, "a failed renewal changed who is signed in")
            // The old refresh token may be used up, so a newer one in the response is kept, and nothing else of the response.
            var kept = after?.tokens
            kept?.refreshToken = before.tokens?.refreshToken
            kept?.refreshExpiresAt = before.tokens?.refreshExpiresAt
            try BrokenProperty.unless(kept == before.tokens || after?.tokens == nil, "a failed renewal left other tokens")
            try BrokenProperty.unless(!error.isTransient || after?.tokens != nil, "a failure at the provider deleted the tokens")
            return error
        }
        guard let record = try await parts.store.record(before.summary.name) else { throw BrokenProperty("the session was deleted") }
        try validator.check(record, .renewal)
        try BrokenProperty.unless(record.identity.subject == before.identity.subject, "a renewal changed who is signed in")
        try BrokenProperty.unless(record.tokens?.refreshToken != nil, "a renewal lost the refresh token")
        return nil
    }

    private func signOut(_ parts: EngineParts, _ before: SessionRecord) async throws -> AuthFailure? {
        let receipt = try await parts.engine().signOut(before.summary.name, mode: .revoke)
        try BrokenProperty.unless(try await parts.store.record(before.summary.name) == nil, "a signed-out session still exists")
        var failure: AuthFailure?
        for entry in receipt.entries {
            switch entry.outcome {
            case .done: break
            case .failed(let reason, _), .skipped(let reason), .unconfirmed(let reason):
                let word = AuthFailure(.unavailable(retryAfter: nil), text: reason.english, hint: "see the receipt")
                try validator.check(word)
                if case .failed = entry.outcome { failure = word }
            }
        }
        return failure
    }

    // MARK: Checks of all operations

    func checkNothingChanged(_ parts: EngineParts, _ before: SessionRecord) async throws {
        let sessions = try await parts.store.summaries()
        try BrokenProperty.unless(sessions == [before.summary], "a failed attempt changed what is stored")
        let record = try await parts.store.record(before.summary.name)
        try BrokenProperty.unless(record == before, "a failed attempt changed an earlier session")
    }

    /// Checks that the client sent requests only to the provider and to origins named in its metadata or challenges, and followed no
    /// redirect.
    private func check(requests: [WebRequest]) throws {
        var allowed: Set<Origin> = []
        if let own = WebURL(provider.issuer) { allowed.insert(own.origin) }
        for member in provider.evidence.document(.discovery)?.members ?? [] {
            if let url = member.value.string.flatMap({ WebURL($0) }) { allowed.insert(url.origin) }
        }
        for text in provider.evidence.challenges.flatMap({ $0.split(whereSeparator: { "\", =".contains($0) }) }) {
            if let url = WebURL(String(text)) { allowed.insert(url.origin) }
        }
        for request in requests {
            try BrokenProperty.unless(!request.url.path.hasSuffix(WireDamage.trap), "followed a redirect")
            try BrokenProperty.unless(request.url.isProtected, "went to \(request.url.origin) without TLS")
            try BrokenProperty.unless(
                allowed.contains(request.url.origin), "went to \(request.url.origin), which the provider did not name")
            try BrokenProperty.unless(request.url.query?.contains("code") != true, "sent a code in a URL")
        }
    }
}

/// A browser without a user: it follows redirects on this machine.
struct Browser {
    func visit(_ start: WebURL) async {
        let transport = CurlTransport(version: "test", environment: [:])
        // Without its visit, the attempt would wait for its deadline, also where only an answer comes late.
        let policy = TransportPolicy(deadline: WatchedTransport.unhurried)
        var next: WebURL? = start
        for _ in 0..<5 {
            guard let here = next, here.origin.isLoopback,
                let response = try? await transport.send(WebRequest(method: .get, url: here), policy: policy),
                (300..<400).contains(response.status), let location = response.header("Location")
            else { return }
            next = WebURL(location.hasPrefix("/") ? here.origin.description + location : location)
        }
    }
}
