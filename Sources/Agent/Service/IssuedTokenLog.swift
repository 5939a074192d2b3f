import AuthModel
import Synchronization

/// Records issued tokens in the activity log, one line per token.
///
/// A program that asks repeatedly causes lines that differ in their time only. The rest is encoded once.
final class IssuedTokenLog: Sendable {
    private struct Use: Hashable {
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var restrictions: TokenRestrictions
        var process: Int32
        var user: UInt32
        var program: String?
        var message: UserMessage?
        var destination: String?
    }

    private let log: ActivityLog
    private let lines = Mutex<[Use: [UInt8]]>([:])

    /// Maximum number of encoded lines.
    static let limit = 64

    init(log: ActivityLog) { self.log = log }

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - session: the session of the issued token.
    ///   - request: the request, with its calling program's message.
    ///   - caller: the calling process.
    ///   - program: the process's program, as the kernel reports it for this request.
    func record(_ session: SessionName, for request: TokenRequest, to caller: Caller, program: String?, at time: Timestamp) {
        let use = Use(
            session: session, wanted: request.wanted, restrictions: request.restrictions, process: caller.process, user: caller.user,
            program: program, message: request.caller, destination: request.recordedDestination)
        let rest = lines.withLock { lines in
            if let known = lines[use] { return known }
            if lines.count >= Self.limit { lines.removeAll() }
            let rest = Self.record(of: use, at: time).lineAfterTime
            lines[use] = rest
            return rest
        }
        log.append(line: ActivityRecord.line(at: time, rest: rest))
    }

    private static func record(of use: Use, at time: Timestamp) -> ActivityRecord {
        let kind: UserMessage = use.wanted == .id ? "phrase.id_token" : "phrase.token"
        var message = UserMessage(
            "activity.token_kind_issued_to", ["kind": kind, "caller": use.message ?? "phrase.a_program", "terms": use.restrictions.note])
        if let destination = use.destination {
            message = UserMessage(
                code: "activity.token_kind_issued_for", arguments: message.arguments.merging(["destination": .text(destination)]) { $1 })
        }
        return ActivityRecord(
            Activity(at: time, kind: .issued, session: use.session, message: message), process: use.process, user: use.user,
            program: use.program)
    }
}
