public import AuthModel
import Synchronization

/// Records the uses of tokens, and refusals, in the activity log.
///
/// A use that repeats an earlier one within ``window`` is counted in the line of the earlier one. A program that asks for ever new
/// destinations gets ``newLines`` lines in that time; then its uses are counted without their destinations.
final class IssuedTokenLog: Sendable {
    private struct Use: Hashable {
        var kind: Activity.Kind
        var session: SessionName?
        /// Whether this is the entry for an issued token, whose message is the caller's name.
        var isToken = false
        var wanted = TokenRequest.Wanted.access
        var restrictions = TokenRestrictions.session
        var source: Source
        var message: UserMessage
        var destination: String?

        /// The same use without what a caller may choose freely.
        var withoutDetails: Use {
            guard isToken else { return self }
            var use = self
            use.restrictions = .session
            use.destination = nil
            if !source.isForwarded, let program = source.program { use.message = .verbatim(program) }
            return use
        }
    }

    /// The cause of entries: a program, or a connection to another machine, whose programs all ask through the same process.
    private struct Source: Hashable {
        var program: String?
        var user: UInt32
        /// The process, unless the program identifies the source.
        var process: Int32?

        var isForwarded: Bool { program?.hasSuffix("/ssh") ?? false }

        init(_ caller: Caller, _ program: String?) {
            self.program = program
            user = caller.user
            process = program == nil || isForwarded ? caller.process : nil
        }
    }

    /// A line that counts the repetitions of a use.
    private struct Line {
        /// The part of the line that stays the same.
        var rest: [UInt8]
        var begin: Timestamp
        var count = 1
        var bytes: [UInt8] = []
        /// The place of the line in the file; `nil` if it could not be written.
        var place: Int?
    }

    private struct State {
        var lines: [Use: Line] = [:]
        /// The number of lines that each source began since a time.
        var sources: [Source: (begin: Timestamp, lines: Int)] = [:]

        /// Counts a new line of a source. Returns false if there are too many.
        mutating func allowsLine(of source: Source, at time: Timestamp) -> Bool {
            var known = sources[source] ?? (time, 0)
            if !isCurrent(known.begin, at: time) { known = (time, 0) }
            known.lines += 1
            if sources[source] == nil, sources.count >= IssuedTokenLog.limit { sources.removeAll() }
            sources[source] = known
            return known.lines <= IssuedTokenLog.newLines
        }

        /// Returns the line that counts a use now; `nil` if a new one is needed.
        func line(of use: Use, at time: Timestamp) -> Line? {
            lines[use].flatMap { isCurrent($0.begin, at: time) ? $0 : nil }
        }

        mutating func set(_ line: Line, for use: Use) {
            if lines[use] == nil, lines.count >= IssuedTokenLog.limit { lines.removeAll() }
            lines[use] = line
        }

        private func isCurrent(_ begin: Timestamp, at time: Timestamp) -> Bool { time >= begin && time - begin < IssuedTokenLog.window }
    }

    private let log: ActivityLog
    private let state = Mutex(State())

    /// Maximum number of uses and of sources that are remembered.
    static let limit = 256
    /// The time in which repetitions are counted in one line.
    static let window = Duration.seconds(60)
    /// Maximum number of lines with different destinations that one source begins in a ``window``.
    static let newLines = 30
    /// The room in each line for the time, the process and the count, in bytes.
    private static let variableLength = 80

    init(log: ActivityLog) { self.log = log }

    /// Records an issued token.
    ///
    /// - Parameters:
    ///   - session: the session of the issued token.
    ///   - request: the request, with its calling program's message.
    ///   - caller: the calling process.
    ///   - program: the process's program, as the kernel reports it for this request.
    func record(_ session: SessionName, for request: TokenRequest, to caller: Caller, program: String?, at time: Timestamp) {
        let use = Use(
            kind: .issued, session: session, isToken: true, wanted: request.wanted, restrictions: request.restrictions,
            source: Source(caller, program), message: request.caller ?? "phrase.a_program", destination: request.recordedDestination)
        record(use, process: caller.process, at: time)
    }

    /// Records another activity that a caller caused.
    func record(_ activity: Activity, of caller: Caller, program: String?) {
        let use = Use(kind: activity.kind, session: activity.session, source: Source(caller, program), message: activity.message)
        record(use, process: caller.process, at: activity.at)
    }

    private func record(_ use: Use, process: Int32, at time: Timestamp) {
        state.withLock { state in
            var use = use
            if state.line(of: use, at: time) == nil, !state.allowsLine(of: use.source, at: time) { use = use.withoutDetails }
            if var line = state.line(of: use, at: time), let place = line.place {
                line.count += 1
                let bytes = Self.bytes(of: line, use, process, at: time)
                if log.replace(line.bytes, at: place, with: bytes) {
                    line.bytes = bytes
                    return state.set(line, for: use)
                }
            }
            // The encoded part is the same for the same use.
            var line = Line(rest: state.lines[use]?.rest ?? Self.record(of: use, at: time).lineBetween, begin: time)
            line.bytes = Self.bytes(of: line, use, process, at: time)
            line.place = log.append(line: line.bytes)
            state.set(line, for: use)
        }
    }

    private static func bytes(of line: Line, _ use: Use, _ process: Int32, at time: Timestamp) -> [UInt8] {
        let activity = Activity(at: time, kind: use.kind, session: use.session, message: use.message, count: line.count)
        return ActivityRecord.line(activity, process, rest: line.rest, length: line.rest.count + variableLength)
    }

    private static func record(of use: Use, at time: Timestamp) -> ActivityRecord {
        var message = use.message
        if use.isToken {
            let kind: UserMessage = use.wanted == .id ? "phrase.id_token" : "phrase.token"
            message = UserMessage(
                "activity.token_kind_issued_to", ["kind": kind, "caller": use.message, "terms": use.restrictions.note])
            if let destination = use.destination {
                message = UserMessage(
                    code: "activity.token_kind_issued_for", arguments: message.arguments.merging(["destination": .text(destination)]) { $1 }
                )
            }
        }
        return ActivityRecord(
            Activity(at: time, kind: use.kind, session: use.session, message: message), user: use.source.user, program: use.source.program)
    }
}

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
