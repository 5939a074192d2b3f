package import AuthModel
import Localization
import TerminalUI

/// The use of tokens by one program, from the activity.
package struct ProgramUse: Equatable, Sendable {
    /// Tokens that the program got at the same time.
    package struct Issue: Equatable, Sendable {
        package let at: Timestamp
        package let count: Int
    }

    package let program: CallingProgram
    /// The tokens that the program got, the oldest first.
    package private(set) var issued: [Issue] = []
    /// The number of tokens that were refused.
    package private(set) var refusals = 0
    /// The time of the first entry about the program.
    package private(set) var first: Timestamp
    /// The time of the last entry about the program.
    package private(set) var last: Timestamp
    /// The sessions whose tokens the program asked for, the last used first.
    package private(set) var sessions: [SessionName] = []

    private init(_ program: CallingProgram, at: Timestamp) {
        self.program = program
        first = at
        last = at
    }

    /// Returns the use of each program, the last used first. Entries that name no program are left out.
    package static func grouped(_ activity: some Sequence<Activity>) -> [ProgramUse] {
        var uses: [CallingProgram: ProgramUse] = [:]
        for entry in activity {
            guard let program = CallingProgram(of: entry) else { continue }
            uses[program, default: ProgramUse(program, at: entry.at)].add(entry)
        }
        for program in uses.keys { uses[program]?.issued.sort { $0.at < $1.at } }
        return uses.values.sorted { ($1.last, $0.program.path) < ($0.last, $1.program.path) }
    }

    private mutating func add(_ entry: Activity) {
        if entry.kind == .issued { issued.append(Issue(at: entry.at, count: entry.count)) }
        if entry.kind == .tokenRefused { refusals += entry.count }
        first = min(first, entry.at)
        let isLatest = entry.at >= last
        last = max(last, entry.at)
        guard let session = entry.session else { return }
        if let index = sessions.firstIndex(of: session) {
            guard isLatest else { return }
            sessions.remove(at: index)
        }
        sessions.insert(session, at: isLatest ? 0 : sessions.endIndex)
    }

    /// The number of tokens since the activity log began.
    package var tokens: Int { issued.reduce(0) { $0 + $1.count } }

    /// Returns the number of tokens in each of ``UseHistory/parts`` equal parts of the last 24 hours, the oldest first.
    package func recent(until now: Timestamp) -> [Int] {
        var counts = Array(repeating: 0, count: UseHistory.parts)
        for issue in issued.reversed() {
            guard now - issue.at < UseHistory.span else { break }
            counts[UseHistory.part(of: issue.at, now: now)] += issue.count
        }
        return counts
    }

    /// Returns whether the program got or requested its first token in the last 24 hours.
    ///
    /// - Parameter known: the time of the oldest entry. If the activity does not go back further than these 24 hours, no program counts
    ///   as new, because earlier uses are unknown.
    package func isNew(at now: Timestamp, knownSince known: Timestamp?) -> Bool {
        guard let known, now - known > UseHistory.span else { return false }
        return now - first < UseHistory.span
    }
}

/// A program that asked for a token, as the activity records it.
package struct CallingProgram: Hashable, Sendable {
    /// The path of the program, or a text such as `process 4711` if only that is known.
    package let path: String

    package init(path: String) { self.path = path }

    /// Returns the program that an entry is about; nil if the entry does not name one.
    package init?(of entry: Activity) { self.init(in: entry.message) }

    /// Returns the program in a message's arguments; for a program that used yett, the program that started yett.
    package init?(in message: UserMessage) {
        guard let argument = Self.arguments.lazy.compactMap({ message.arguments[$0] }).first else { return nil }
        switch argument {
        case .text(let path): self.init(path: path)
        case .message(let caller): self.init(caller: caller)
        }
    }

    /// Creates a program from the message that names it, such as the last user of a session's token.
    package init(caller: UserMessage) { self = CallingProgram(in: caller) ?? CallingProgram(path: caller.text()) }

    /// The name of the program without its folder.
    package var name: String {
        guard path.hasPrefix("/") else { return path }
        // The kernel adds this to the path of a program that was replaced or deleted since it started.
        let deleted = " (deleted)"
        let path = path.hasSuffix(deleted) ? path.dropLast(deleted.count) : path[...]
        let name = path.drop { $0 == "/" }.split(separator: "/").last.map(String.init)
        return name ?? self.path
    }

    /// The path of the program's file, as a setting names it; nil if only a text is known.
    package var file: String? { UserMessage.verbatim(path).programPath }

    /// The folder of the program, for programs with the same name; nil if the path is unknown.
    package var folder: String? {
        guard path.hasPrefix("/"), let end = path.lastIndex(of: "/") else { return nil }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private static let arguments = ["program", "caller"]

    /// The arguments of messages that are programs.
    fileprivate static let names: Set = ["program", "caller", "parent", "witness"]
}

extension UserMessage {
    /// Returns the message with the path of each program replaced by its name.
    package var withProgramNames: UserMessage {
        var named = arguments
        for name in CallingProgram.names {
            switch arguments[name] {
            case .text(let path)?: named[name] = .text(CallingProgram(path: path).name)
            case .message(let inner)?: named[name] = .message(inner.withProgramNames)
            case nil: break
            }
        }
        return UserMessage(code: code, arguments: named)
    }

    /// The message that describes the calling program.
    fileprivate var caller: UserMessage? {
        guard case .message(let caller)? = arguments["program"] ?? arguments["caller"] else { return nil }
        // A program that says for which application it asks is inside.
        return caller.caller ?? caller
    }

    fileprivate func text(of name: String) -> String? {
        guard case .text(let text)? = arguments[name] else { return nil }
        return text
    }
}

/// The program that used a token and its purpose, as the activity records it.
package struct TokenUse: Equatable, Sendable {
    /// The program.
    package let program: CallingProgram
    /// The program's action, such as `fetch`; nil if unknown.
    package let command: String?
    /// The purpose of the token, such as a host; nil if unknown.
    package let destination: String?
    /// The program that started the program; nil if unknown.
    package let parent: CallingProgram?

    /// Returns the use that an entry is about; nil if the entry names no program.
    package init?(of entry: Activity) {
        guard let program = CallingProgram(of: entry) else { return nil }
        self.program = program
        let caller = entry.message.caller
        command = caller?.text(of: "command")
        parent = caller?.text(of: "parent").map { CallingProgram(path: $0) }
        destination = entry.message.text(of: "destination")
    }
}

/// The number of uses of each session's tokens in the last 24 hours.
package struct UseHistory: Equatable, Sendable {
    /// The number of equal parts of the time in each picture of a session's or a program's use.
    package static let parts = 8
    /// The time that is shown.
    package static let span = Duration.seconds(86_400)

    private var counts: [SessionName: [Int]] = [:]

    /// Counts the uses.
    ///
    /// - Parameter activity: the newest last.
    package init(_ activity: [Activity], now: Timestamp) {
        Self.each(activity, now: now) { entry in
            guard let name = entry.session else { return }
            counts[name, default: Array(repeating: 0, count: Self.parts)][Self.part(of: entry.at, now: now)] += entry.count
        }
    }

    /// Calls `body` with each use in the time: every picture and every number of the last 24 hours counts these.
    ///
    /// - Parameter activity: the newest last.
    static func each(_ activity: [Activity], now: Timestamp, _ body: (Activity) -> Void) {
        for entry in activity.reversed() {
            guard now - entry.at < span else { break }
            if entry.kind == .issued { body(entry) }
        }
    }

    /// Returns the part of the time that a use belongs to.
    fileprivate static func part(of use: Timestamp, now: Timestamp) -> Int {
        // An entry of another process may be ahead of the app's clock.
        let age = max(0, (now - use).wholeMilliseconds)
        return parts - 1 - Int(age / (span.wholeMilliseconds / Int64(parts)))
    }

    /// The number of uses in each part of the time, the oldest first.
    package subscript(name: SessionName) -> [Int] { counts[name] ?? Array(repeating: 0, count: Self.parts) }

    /// Returns the picture of the numbers of tokens in the parts, which is the same everywhere.
    static func picture(_ counts: [Int], _ glyphs: GlyphSet) -> [TextLine.Span] { Sparkline(counts, style: Style(.info)).spans(glyphs) }
}
