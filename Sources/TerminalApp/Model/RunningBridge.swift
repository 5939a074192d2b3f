public import AuthModel

/// A running bridge: `yett mcp URL`, between a program and an MCP server.
public struct RunningBridge: Equatable, Sendable {
    /// The number of its process.
    public let process: Int32
    /// The program that started it, as the activity names it.
    public let client: UserMessage
    /// The address of the server.
    public let server: WebURL
    /// The session whose tokens it uses, or the provider alone while no account is known; nil if no provider is known for the server.
    public let session: SessionName?
    /// When it last got a token for a request; nil if it has got none yet.
    public let lastCall: Timestamp?

    /// Creates a bridge.
    public init(process: Int32, client: UserMessage, server: WebURL, session: SessionName?, lastCall: Timestamp?) {
        (self.process, self.client, self.server, self.session, self.lastCall) = (process, client, server, session, lastCall)
    }

    /// The server without its scheme: `mcp.example.org/mcp`.
    package var place: String { server.origin.authority + (server.path == "/" ? "" : server.path) }
}

/// The running bridges, as last read.
package struct BridgeList: Equatable, Sendable {
    /// The bridges, in the order of their processes.
    package private(set) var bridges: [RunningBridge] = []
    /// The time of the last reading; nil until a screen shows a session.
    private var readAt: Timestamp?

    /// The maximum age of the list while a bridge is at work, and while nothing happens.
    private static let (busyAge, quietAge) = (Duration.seconds(2), Duration.seconds(10))

    /// Replaces the bridges with those that were read now.
    mutating func update(to bridges: [RunningBridge], at now: Timestamp) { (self.bridges, readAt) = (bridges, now) }

    /// Returns whether to read the list again after the use of a token, by which a bridge may show itself.
    mutating func isDue(afterUseAt now: Timestamp) -> Bool { isDue(now, Self.busyAge) }

    /// Returns whether to read the list again when time has passed. Without a bridge, nothing on the screen changes by itself.
    mutating func isDue(afterTickAt now: Timestamp) -> Bool { !bridges.isEmpty && isDue(now, Self.quietAge) }

    private mutating func isDue(_ now: Timestamp, _ age: Duration) -> Bool {
        guard let readAt, now - readAt >= age else { return false }
        self.readAt = now
        return true
    }
}

extension AppModel {
    /// Returns the bridges that use a session's tokens.
    func bridges(of session: SessionName) -> [RunningBridge] {
        bridges.bridges.filter { bridge in
            guard let own = bridge.session else { return false }
            if own == session { return true }
            // Without an account, it uses the default one.
            let isDefault = !hasSeveralAccounts(at: session.provider) || self.isDefault(session)
            return own.account == nil && own.provider == session.provider && isDefault
        }
    }
}
