/// Returns log entries, newest first. Works without network.
package struct ListActivity: ListOperation {
    package typealias Element = Activity
    package typealias Reply = [Element]
    package static let route = OperationRoute("activity", .get, "/v1/activity", [.isRepeatable, .isQuick])
    package static let member = "activity"

    /// The maximum number of entries.
    package static let maximum = 1000

    /// The number of entries, from 1 to ``maximum``.
    package var limit: Int

    package init(_ limit: Int) { self.limit = max(1, min(limit, Self.maximum)) }

    package init(wire: JSONValue) throws(WireError) {
        let text = wire["limit"]?.string
        guard let limit = text.map(Int.init) ?? Self.maximum, (1...Self.maximum).contains(limit) else {
            let message = UserMessage("agent.limit_out_of_range", ["limit": Self.maximum])
            throw WireError(place: "limit", AuthFailure(.usage, message))
        }
        self.limit = limit
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("limit", .string(String(limit)))) }
}

/// One entry of the activity log.
public struct Activity: Equatable, Sendable {
    /// The type of an entry.
    public enum Kind: String, Sendable {
        case signedIn = "signed_in"
        case signInFailed = "sign_in_failed"
        case renewed
        case renewalFailed = "renewal_failed"
        case issued = "handed_out"
        /// A program other than the caller confirmed that the user consented to a token.
        case consented
        /// The caller itself claimed that the user consented to a token. This claim was not checked.
        case consentedByCaller = "consented_by_caller"
        /// A policy or the user refused to issue a token.
        case tokenRefused = "token_refused"
        case signedOut = "signed_out"
        /// The store's key is kept in another way, or another security key opens it.
        case sealChanged = "seal_changed"
    }

    /// When it happened.
    public var at: Timestamp
    /// The type of the entry.
    public var kind: Kind
    /// The session, if the entry is about one.
    public var session: SessionName?
    /// The event in one line, without secrets.
    public var message: UserMessage
    /// The number of occurrences: repeated uses within a short time are one entry, with the time of the last one.
    public var count: Int

    package init(at: Timestamp, kind: Kind, session: SessionName?, message: UserMessage, count: Int = 1) {
        self.at = at
        self.count = count
        self.kind = kind
        self.session = session
        self.message = message
    }
}

/// Writes and reads the activity log.
///
/// A failed write does not stop the operation that is being recorded.
public protocol ActivityRecorder: Sendable {
    /// Adds an entry to the log.
    func record(_ activity: Activity)
    /// Returns at most `limit` entries, newest first. Throws if log entries exist and cannot be read.
    func recorded(_ limit: Int) throws(AuthFailure) -> [Activity]
}

extension SessionService {
    /// Returns log entries, newest first.
    package func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { try await perform(ListActivity(limit)) }
}
