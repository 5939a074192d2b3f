import AuthModel
import Synchronization

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
