public import AuthModel
import Synchronization

/// Records in the activity what a proxy of Yett refused to the programs behind it. Repetitions within a minute are counted in one line.
public final class ProxyRefusalLog: Sendable {
    private let uses: IssuedTokenLog
    private let time: any TimeSource
    private let command: String
    private let reasons = Mutex(Set<String>())

    /// The maximum number of different reasons: the programs behind the proxy choose the hosts in them.
    private static let limit = 50

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - folder: the folder of the activity log; `nil` records nothing.
    ///   - command: what is recorded as the program if it is not known which one was refused.
    public init(folder: String?, command: String, time: any TimeSource) {
        uses = IssuedTokenLog(log: ActivityLog(folder: folder))
        (self.command, self.time) = (command, time)
    }

    /// Records a refusal.
    ///
    /// - Parameter client: the process of the program that was refused; `nil` if it is not known.
    public func record(_ reason: String, to client: Int32?) {
        let isNoted = reasons.withLock { reasons in
            reasons.contains(reason) || reasons.count < Self.limit && reasons.insert(reason).inserted
        }
        guard isNoted else { return }
        let caller = Caller.own.started(client)
        let tool = caller?.tool
        let message = UserMessage(
            "activity.no_token_for_program",
            ["program": tool?.message ?? UserMessage.verbatim(command), "detail": UserMessage.verbatim(reason)])
        let activity = Activity(at: time.now, kind: .tokenRefused, session: nil, message: message)
        uses.record(activity, of: caller ?? .own, program: tool?.path ?? Caller.own.program)
    }
}
