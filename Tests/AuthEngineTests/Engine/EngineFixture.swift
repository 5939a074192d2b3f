import AuthEngine
import AuthModel
import OAuth
import ProviderKinds
import Sandbox
import SessionStore
import TestSupport
import Testing

/// An engine, a store and a sandbox provider whose user approves at once; the browser only follows redirects.
struct EngineFixture {
    static let provider = ProviderName("sandbox")
    let sandbox: SandboxServer
    let store: SessionStore
    let engine: Engine
    let time = ShiftedTime()
    let transport = CurlTransport(version: "test", environment: [:])

    /// Runs `body` with a new fixture, and stops the sandbox afterwards.
    static func run(
        _ sandboxConfiguration: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"), store: SessionStore? = nil,
        surroundings: Surroundings = .desktop, time: (any TimeSource)? = nil, through transport: (any HTTPTransport)? = nil,
        cacheDirectory: String? = nil, renewalWait: Duration? = nil, skipsWaits: Bool = false,
        change: (inout ProviderConfiguration) -> Void = { _ in },
        others: (ProviderConfiguration) -> [ProviderConfiguration] = { _ in [] }, _ body: (EngineFixture) async throws -> Void
    ) async throws {
        var lasting = sandboxConfiguration
        // On a busy machine, a sign-in takes longer than the sandbox's codes usually live.
        (lasting.lifetimes.code, lasting.lifetimes.pushedRequest) = (.seconds(3000), .seconds(3000))
        try await SandboxServer.running(lasting) { sandbox in
            let kept: SessionStore
            if let store { kept = store } else { kept = try await .open(directory: "/", source: .memory, time: SystemTimeSource()) }
            let world = try EngineFixture(
                sandbox: sandbox, store: kept, surroundings: surroundings, time: time, through: transport,
                cacheDirectory: cacheDirectory,
                renewalWait: renewalWait, skipsWaits: skipsWaits,
                change: { configuration in
                    // If the provider requires proofs, so does the configuration, unless the test changes it.
                    if sandboxConfiguration.proofs.support == .required { configuration.proofs = .required }
                    change(&configuration)
                }, others: others)
            try await body(world)
        }
    }

    /// Runs `body` with a new fixture whose user has signed in.
    static func runSignedIn(
        _ sandbox: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"), store: SessionStore? = nil,
        time: (any TimeSource)? = nil, through transport: (any HTTPTransport)? = nil, renewalWait: Duration? = nil,
        skipsWaits: Bool = false, change: (inout ProviderConfiguration) -> Void = { _ in },
        _ body: (EngineFixture, SessionSummary) async throws -> Void
    ) async throws {
        try await run(
            sandbox, store: store, time: time, through: transport, renewalWait: renewalWait, skipsWaits: skipsWaits, change: change
        ) { world in
            try await body(world, try await world.signedIn())
        }
    }

    init(
        sandbox: SandboxServer, store: SessionStore, surroundings: Surroundings = .desktop, time: (any TimeSource)? = nil,
        through engineTransport: (any HTTPTransport)? = nil, cacheDirectory: String? = nil, renewalWait: Duration? = nil,
        skipsWaits: Bool = false, change: (inout ProviderConfiguration) -> Void = { _ in },
        others: (ProviderConfiguration) -> [ProviderConfiguration] = { _ in [] }
    ) throws {
        self.sandbox = sandbox
        self.store = store
        var configuration = ProviderConfiguration(
            name: try #require(Self.provider), kind: .oidc, issuer: Issuer(sandbox.issuer), clientID: "yett",
            scopes: ["openid", "profile", "email", "offline_access"])
        // More than any machine needs, and too long to be skipped by a clock that skips waits.
        configuration.loginTimeout = .seconds(900)
        change(&configuration)
        var environment = EngineEnvironment(
            makeAdapter: EngineEnvironment.allKinds, transport: engineTransport ?? PatientTransport(transport: transport),
            time: skipsWaits ? HastyTime(over: self.time) : time ?? self.time, cacheDirectory: cacheDirectory,
            surroundings: surroundings, renewalWait: renewalWait)
        // On a busy machine answers come late. A code requested beside the browser would change requests and events, and a sign-out at its
        // limit would leave a token. A test that expects either has its own clock.
        if time == nil { (environment.limits.deviceCodeDelay, environment.limits.signOut) = (.seconds(86_400), .seconds(900)) }
        engine = Engine(providers: [configuration] + others(configuration), store: store, environment: environment)
    }

    func request(_ change: (inout SignInRequest) -> Void = { _ in }) throws -> SignInRequest {
        var request = SignInRequest(provider: try #require(Self.provider))
        change(&request)
        return request
    }

    /// The events of an attempt and its result.
    struct Outcome {
        var events: [SignInEvent] = []

        var result: Result<SessionSummary, AuthFailure>? {
            events.lazy.compactMap { if case .finished(let result) = $0 { result } else { nil } }.first
        }

        var failure: AuthFailure? {
            if case .failure(let failure)? = result { failure } else { nil }
        }

        /// The sign-in methods that were opened, in order.
        var methods: [SignInMethod] {
            events.compactMap { if case .available(let way) = $0 { way } else { nil } }
        }

        /// The prompt of the device flow.
        var device: DeviceCodePrompt? {
            methods.lazy.compactMap { if case .device(let way) = $0 { way } else { nil } }.first
        }

        /// The redirect URI of the browser flow.
        var redirect: WebURL? {
            methods.lazy.compactMap { if case .browser(_, let redirect) = $0 { WebURL(redirect) } else { nil } }.first
        }
    }

    /// Signs in. The browser follows redirects, unless `browse` handles the URL.
    func signIn(
        _ request: SignInRequest? = nil, browse: (@Sendable (WebURL, SignInAttempt.ID) async -> Void)? = nil
    ) async throws -> Outcome {
        let attempt = try await engine.signIn(try request ?? self.request())
        var outcome = Outcome()
        for await event in attempt.events {
            outcome.events.append(event)
            if case .available(.browser(let url, _)) = event {
                let transport = transport
                Task {
                    if let browse { await browse(url, attempt.id) } else { await follow(url, transport: transport) }
                }
            }
            if case .asked(let form) = event {
                // As a front end that can ask no user.
                let suggestions = form.fields.reduce(into: SignInForm.Answers()) { $0[$1.id] = $1.suggestion.map { Secret($0) } }
                try await engine.answer(suggestions, to: attempt.id)
            }
        }
        return outcome
    }

    /// Signs in and expects a session.
    func signedIn(_ change: (inout SignInRequest) -> Void = { _ in }) async throws -> SessionSummary {
        let outcome = try await signIn(try request(change))
        return try #require(outcome.result).get()
    }

    /// Returns how many requests with this grant type the token endpoint received.
    func count(of grantType: String) -> Int {
        sandbox.requests.filter { $0.field("grant_type") == grantType }.count
    }
}

/// Returns the failure of an operation; `nil` if it has none.
func failure<Value>(_ body: () async throws -> Value) async -> AuthFailure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? AuthFailure
    }
}

/// Follows redirects as a browser without a page does, at most ten.
@Sendable func follow(_ start: WebURL, transport: CurlTransport) async {
    let patient = PatientTransport(transport: transport)
    var url = start
    for _ in 0..<10 {
        guard let response = try? await patient.send(WebRequest(method: .get, url: url)), (300..<400).contains(response.status),
            let location = response.header("Location"),
            let next = WebURL(location) ?? WebURL(url.origin.description + location)
        else { return }
        url = next
    }
}
