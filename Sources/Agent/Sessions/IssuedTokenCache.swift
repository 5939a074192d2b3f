import AuthModel
import Synchronization

/// A cache of recently issued tokens, so that a program that asks a thousand times a second causes few reads of the store.
///
/// The key is the whole request (session as named, kind of token, scopes, audience and resource); the requested validity is compared with
/// the remaining time. A change of any session clears the cache. An entry expires after ``lifetime`` in any case, so that the store learns
/// of the use.
final class IssuedTokenCache: Sendable {
    private struct Key: Hashable {
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var restrictions: TokenRestrictions
        var resource: WebURL?

        init(_ request: TokenRequest) {
            session = request.session
            wanted = request.wanted
            restrictions = request.restrictions
            resource = request.resource
        }
    }

    /// A cached token with its encoding for the protocol.
    struct CachedToken: Sendable {
        var issued: IssuedToken
        /// The JSON object that the agent sends. The allocator overwrites it when it is freed.
        var document: [UInt8]
    }

    private struct Entry {
        var token: CachedToken
        var end: Duration
    }

    /// The properties of a session whose change means a new token.
    private struct Trait: Equatable {
        var receivedAt: Timestamp
        var state: SessionState
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var traits: [SessionName: Trait] = [:]
        /// The number of changes so far.
        var generation = 0
        /// The number of locks in progress.
        var locks = 0

        mutating func clear() {
            entries.removeAll()
            generation += 1
        }
    }

    private let state = Mutex(State())

    /// The lifetime of an entry, on the boot clock.
    static let lifetime = Duration.seconds(5)

    /// The maximum number of entries.
    private static let limit = 256

    /// The number of changes so far.
    var generation: Int { state.withLock { $0.generation } }

    /// Returns the cached token for a request; `nil` if there is none that is valid for long enough.
    func token(for request: TokenRequest, now: Timestamp, bootTime: Duration) -> CachedToken? {
        guard request.isCacheable, let entry = state.withLock({ $0.entries[Key(request)] }), bootTime < entry.end else { return nil }
        if let end = entry.token.issued.expiresAt, end - now < request.minimumValidity { return nil }
        return entry.token
    }

    /// Caches a token, unless a session has changed since `generation`.
    func insert(_ issued: IssuedToken, for request: TokenRequest, generation: Int, bootTime: Duration) {
        // A warning depends on the validity that was asked for.
        guard request.isCacheable, issued.warning == nil else { return }
        let token = CachedToken(issued: issued, document: Array(issued.wire.text.utf8))
        state.withLock { state in
            guard generation == state.generation, state.locks == 0 else { return }
            // Resources are any number of URLs.
            if state.entries.count >= Self.limit { state.entries.removeAll() }
            state.entries[Key(request)] = Entry(token: token, end: bootTime + Self.lifetime)
        }
    }

    /// Clears the cache if a session has changed.
    func update(_ sessions: [SessionSummary]) {
        let now = Dictionary(sessions.map { ($0.name, Trait(receivedAt: $0.receivedAt, state: $0.recordedState)) }) { first, _ in first }
        state.withLock { state in
            guard now != state.traits else { return }
            state.traits = now
            state.clear()
        }
    }

    /// Removes all tokens.
    func clear() { state.withLock { $0.clear() } }

    /// Removes all tokens and keeps the cache empty until ``endLock()``: the store is being locked.
    func beginLock() {
        state.withLock { state in
            state.locks += 1
            state.clear()
        }
    }

    /// Allows new tokens. Those that were requested before are not cached.
    func endLock() {
        state.withLock { state in
            state.locks -= 1
            state.clear()
        }
    }
}

extension TokenRequest {
    /// Whether the same request gets the same token while no session changes. A resource without an account may choose another session, and
    /// a refused token is to be replaced.
    var isCacheable: Bool {
        refused == nil && webServerLogin == nil && !repetitionMeansRefusal && (resource == nil || session.account != nil)
    }
}

/// Keeps the parsed form of recent token requests by their exact bytes, because programs repeat the same request.
///
/// It keeps no request that contains a secret.
final class TokenRequestMemo: Sendable {
    /// The kept requests by their bytes.
    let requests = Mutex<[[UInt8]: TokenRequest]>([:])

    /// Maximum number of kept requests.
    static let limit = 64
    /// Maximum size of a kept request, in bytes.
    static let sizeLimit = 1024

    /// Returns the request in a body; `nil` if the body is invalid, too long, has a secret, names a client, or may get another
    /// token each time.
    func request(in body: [UInt8]) -> TokenRequest? {
        guard body.count <= Self.sizeLimit else { return nil }
        if let known = requests.withLock({ $0[body] }) { return known }
        guard let value = try? JSONValue(strict: body, limits: JSONValue.Limits(bytes: Self.sizeLimit, depth: 8)),
            let request = try? TokenRequest(wire: value), request.isCacheable,
            request.consent == nil, request.client == nil
        else { return nil }
        requests.withLock { requests in
            if requests.count >= Self.limit { requests.removeAll() }
            requests[body] = request
        }
        return request
    }
}

/// Recognizes a program that asks for a token again although the one that it has is still valid: a resource refused that token.
///
/// kubectl runs its plugin again after status 401, and tells it nothing about that. Only fingerprints of tokens are remembered.
final class RepeatedRequests: Sendable {
    /// The program that runs yett: its process, and when that started, because a process number may be reused.
    struct Requester: Hashable {
        var process: Int32
        var startedAt: UInt64
    }

    private struct Key: Hashable {
        var requester: Requester
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var restrictions: TokenRestrictions
        var destination: String?
    }

    private struct Entry {
        /// The fingerprint of the issued token.
        var token: Int
        /// When the program asked last, on the boot clock.
        var askedAt: Duration
        /// When a token was last replaced for the program, on the boot clock.
        var replacedAt: Duration?
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let requester: @Sendable (Int32) -> Requester?

    /// The minimum time between two replacements for one program: a cluster may refuse every token, for another reason.
    static let interval = Duration.seconds(60)
    /// The maximum number of entries.
    static let limit = 256

    /// Creates a memory without entries.
    ///
    /// - Parameter requester: returns the program that runs the process of yett with this number; `nil` if that is unknown.
    init(requester: @escaping @Sendable (Int32) -> Requester? = { Requester(behind: RunningProcess(number: $0)) }) {
        self.requester = requester
    }

    /// Returns whether a resource must have refused the token that is about to be issued. Remembers the token as issued.
    func isRefused(_ issued: IssuedToken, for request: TokenRequest, now: Timestamp, bootTime: Duration) -> Bool {
        guard let key = key(issued, request), issued.expiresAt.map({ $0 > now }) ?? true else { return false }
        let token = Self.fingerprint(of: issued.token)
        return entries.withLock { entries in
            let known = entries[key]
            let isRefused = known?.token == token && known?.replacedAt.map { bootTime - $0 >= Self.interval } ?? true
            if known == nil, entries.count >= Self.limit, let oldest = entries.min(by: { $0.value.askedAt < $1.value.askedAt }) {
                entries[oldest.key] = nil
            }
            entries[key] = Entry(token: token, askedAt: bootTime, replacedAt: isRefused ? bootTime : known?.replacedAt)
            return isRefused
        }
    }

    /// Remembers the token that was issued in place of a refused one.
    func replace(with issued: IssuedToken, for request: TokenRequest) {
        guard let key = key(issued, request) else { return }
        entries.withLock { $0[key]?.token = Self.fingerprint(of: issued.token) }
    }

    /// Returns the key of a request; `nil` if a repetition of it means nothing.
    private func key(_ issued: IssuedToken, _ request: TokenRequest) -> Key? {
        guard request.repetitionMeansRefusal, request.refused == nil, let requester = request.process.flatMap(requester) else { return nil }
        return Key(
            requester: requester, session: issued.session, wanted: request.wanted, restrictions: request.restrictions,
            destination: request.destination)
    }

    /// Returns a hash that is different in each process.
    private static func fingerprint(of token: Secret) -> Int {
        token.withBytes { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
    }
}

extension RepeatedRequests.Requester {
    /// The program that started a process of yett; `nil` if it is a shell, in which each request is a command of its own, or if the kernel
    /// does not tell.
    init?(behind process: RunningProcess) {
        guard let parent = process.parent, !parent.isShell, let start = parent.startTime else { return nil }
        self.init(process: parent.number, startedAt: start)
    }
}
