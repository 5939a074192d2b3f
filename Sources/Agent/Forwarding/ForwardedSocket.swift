public import AuthModel
import Glibc
import LocalServer
import Synchronization

/// The restricted socket of an agent: there while the configuration forwards sessions.
///
/// It may be forwarded to another machine, for example with `ssh -R`. A connection through it is answered by a ``ForwardedService`` only.
actor ForwardedSocket {
    private let path: String
    private let limits: ServerLimits
    private let service: ForwardedService
    /// Maximum number of connections.
    private static let connectionLimit = 128
    private var server: SocketServer?

    init(at location: AgentLocation, service: ForwardedService, limits: ServerLimits = .fitting()) {
        path = location.forwardedSocket
        self.service = service
        var limits = limits
        // Another machine must not use up this agent's descriptors.
        limits.connections = min(limits.connections, Self.connectionLimit)
        self.limits = limits
    }

    /// Opens the socket while there are patterns, and removes it at the end of the task.
    func follow(_ sessions: ForwardedSessions) async {
        for await _ in sessions.changes { await update() }
        await close()
    }

    /// Opens the socket if there are patterns, and closes it if there are none. A failure is not an error of the agent: its own socket
    /// works, and `yett ssh` reports that this one is missing.
    private func update() async {
        let isWanted = !service.forwarded.patterns.isEmpty
        guard isWanted != (server != nil) else { return }
        guard isWanted else { return await close() }
        guard let (listener, file) = try? AgentLock.listen(at: path) else { return }
        server = try? await ConnectionHandler.serve(listener, file: file, service: service, limits: limits)
    }

    private func close() async {
        await server?.close()
        server = nil
    }
}

/// The sessions that the restricted socket offers, as the configuration says now: those of `[agent] forward`, and the audiences that tokens
/// may have.
public final class ForwardedSessions: Sendable {
    private struct State: Equatable {
        var patterns: [SessionPattern] = []
        var audiences: [ProviderName: [String]] = [:]
    }

    private let state = Mutex(State())
    /// One element for each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// Creates the set with the patterns of the configuration.
    public init(_ patterns: [SessionPattern], audiences: [ProviderName: [String]] = [:]) {
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        set(patterns, audiences: audiences)
        changed.yield()
    }

    /// The patterns, in the order of the configuration.
    var patterns: [SessionPattern] { state.withLock(\.patterns) }

    /// Returns the audiences that the configuration lists for a provider's tokens: `resource`.
    func audiences(of provider: ProviderName) -> [String] { state.withLock { $0.audiences[provider] ?? [] } }

    /// Takes the patterns and the audiences of a changed configuration.
    public func set(_ patterns: [SessionPattern], audiences: [ProviderName: [String]] = [:]) {
        let new = State(patterns: patterns, audiences: audiences)
        let isChange = state.withLock { known in
            defer { known = new }
            return known != new
        }
        if isChange { changed.yield() }
    }
}

/// The name of the user and this machine, for people.
enum MachineName {
    /// Returns `ada@laptop`: the user's name, or number if it has none, and the short name of the host. The environment does not count: an
    /// agent gets only the variables that it needs.
    static func ofUser() -> String {
        var host = [CChar](repeating: 0, count: 256)
        let hasHost = gethostname(&host, host.count - 1) == 0
        let short = hasHost ? text(host).prefix { $0 != "." } : ""
        return "\(userName ?? "\(geteuid())")@\(short.isEmpty ? "localhost" : String(short))"
    }

    private static var userName: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let base = buffer.baseAddress, getpwuid_r(geteuid(), &entry, base, buffer.count, &found) == 0, found != nil else {
                return nil
            }
            return entry.pw_name.map { String(cString: $0) }
        }
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
