internal import Agent
internal import AuthModel
internal import OperatingSystem

/// The source of the updater's tokens.
protocol TokenFileSource: Sendable {
    /// Returns a token, without counting as a use by the user, and without asking.
    func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken
    /// Whether there are no tokens until the store is unlocked.
    func isLocked() async -> Bool
    /// A value after each change of a session or of the lock; for one reader.
    func changes() -> AsyncStream<Void>
    /// Says whether the process must keep running to update files, even if no program uses it.
    func keepRunning(_ isNeeded: Bool)
}

/// Keeps the files of the list filled with fresh tokens.
///
/// A file is replaced before its token expires, and removed while there is no token: after a sign-out, and while the store is locked.
actor TokenFileUpdater {
    private let list: TokenFileList
    private let source: any TokenFileSource
    private let time: any TimeSource
    /// The token in each file, and how long it was valid when it was written.
    private var written: [String: (token: Secret, life: Duration?)] = [:]
    private var timer: Task<Void, Never>?

    /// The time before the end of a token at which another one is requested, unless a third of its life is shorter.
    private static let margin = Duration.seconds(300)
    /// The wait after a failure, and at least between two attempts.
    private static let pause = Duration.seconds(30)

    init(_ list: TokenFileList, source: any TokenFileSource, time: any TimeSource) {
        self.list = list
        self.source = source
        self.time = time
    }

    /// Keeps the files fresh until the task is cancelled. They remain as they are then; ``TokenFileList/empty(exceptOf:)`` removes them.
    func run() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = FolderEvents { events in
            if events.contains(where: { $0.name == TokenFileList.name || $0.kinds.intersects(.overflowed) }) { wake.yield() }
        }
        // The list is only ever replaced. The activity log beside it is written at each use of a token, which must not wake this.
        _ = watch?.watch(list.folder, for: [.movedIn, .left])
        let changes = Task { [source] in
            for await _ in source.changes() { wake.yield() }
        }
        defer {
            changes.cancel()
            timer?.cancel()
            withExtendedLifetime(watch) {}
        }
        wake.yield()
        for await _ in wakes where !Task.isCancelled {
            timer?.cancel()
            guard let wait = await refresh() else { continue }
            timer = Task { [time] in
                guard (try? await time.sleep(until: time.bootTime + wait)) != nil else { return }
                wake.yield()
            }
        }
    }

    /// Writes what is due. Returns when the next token is needed; `nil` if that depends on a change.
    func refresh() async -> Duration? {
        // A damaged list is reported by the commands.
        let files = (try? list.read()) ?? []
        source.keepRunning(!files.isEmpty)
        written = written.filter { entry in files.contains { $0.path == entry.key } }
        guard !files.isEmpty else { return nil }
        if await source.isLocked() {
            for file in files { forget(file) }
            return nil
        }
        var waits: [Duration] = []
        for file in files {
            if let wait = await refresh(file) { waits.append(wait) }
        }
        return waits.min()
    }

    private func refresh(_ file: TokenFile) async -> Duration? {
        let life = written[file.path]?.life
        do throws(AuthFailure) {
            let issued = try await source.freshToken(file.request(minimumValidity: Self.margin(of: life)))
            try issued.requireUnbound()
            let left = issued.expiresAt.map { $0 - time.now }
            let isThere = try TokenFileList.hasToken(file)
            if !isThere || written[file.path]?.token != issued.token {
                guard try list.write(issued.token, to: file) else { return nil }
                written[file.path] = (issued.token, left)
            }
            return left.map { max(Self.pause, $0 - Self.margin(of: written[file.path]?.life ?? $0)) }
        } catch {
            switch error.kind {
            case .notSignedIn, .signInAgain, .denied, .security:
                // The next sign-in is a change.
                forget(file)
                return nil
            default: return Self.pause
            }
        }
    }

    private static func margin(of life: Duration?) -> Duration { life.map { min(margin, $0 / 3) } ?? SessionSummary.freshness }

    private func forget(_ file: TokenFile) {
        written[file.path] = nil
        // A damaged list is reported by the commands.
        try? list.empty(file)
    }
}

/// The agent as the source of the tokens in files.
struct AgentTokenSource: TokenFileSource {
    let service: AgentSessionService

    func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken { try await service.freshToken(request) }
    func isLocked() async -> Bool { (try? await service.storeState()) != .unlocked }
    func changes() -> AsyncStream<Void> { service.changes() }
    func keepRunning(_ isNeeded: Bool) { service.keepRunning(isNeeded) }
}
