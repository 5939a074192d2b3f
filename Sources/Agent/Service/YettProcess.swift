public import AuthModel
import Glibc
import OperatingSystem

/// A process of this user that runs Yett, for showing: ``RunningProcess`` says why it decides nothing.
public struct YettProcess: Sendable {
    /// The number of the process.
    public let number: Int32
    /// The arguments, without the name of the program.
    public let arguments: [String]
    /// When it started, since the machine booted.
    public let start: Duration

    /// Creates a description of a process.
    package init(number: Int32, arguments: [String], start: Duration) {
        (self.number, self.arguments, self.start) = (number, arguments, start)
    }

    /// The program that started it, as the activity names it.
    public var starter: UserMessage { Caller(process: number, user: getuid()).message }

    /// Returns the processes in the order of their numbers; none if the kernel does not tell.
    ///
    /// A system that hides processes (`hidepid` of proc(5)) hides these too: their memory is closed to other programs.
    public static func all() -> [YettProcess] {
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return FolderListing.names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { number in
            let process = RunningProcess(number: number)
            guard process.name.map(Caller.isOwn) == true, process.user == getuid(), let start = process.startTime else { return nil }
            let (seconds, rest) = start.quotientAndRemainder(dividingBy: ticks)
            return YettProcess(
                number: number, arguments: Array(process.arguments.dropFirst()),
                start: .seconds(Int64(clamping: seconds)) + .milliseconds(Int64(clamping: rest * 1000 / ticks)))
        }
    }
}

extension RunningProcess {
    /// The user of the process; also of one whose files in `/proc` belong to root, because its memory is closed to other programs.
    var user: UInt32? {
        let line = text("status", limit: 4096)?.split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt32($0) }
    }
}

/// The programs behind a proxy of Yett (`yett exec --intercept`), for which it asks.
extension Caller {
    /// How many ancestors of a program are looked at.
    private static let depth = 64

    /// Returns the process for which this one asks, if this one is Yett and has started it.
    func client(_ number: Int32?) -> Caller? {
        guard number != nil, program.map(Self.isOwn) == true else { return nil }
        return started(number)
    }

    /// Returns a process that this one started, directly or through others.
    func started(_ number: Int32?) -> Caller? {
        guard let number, number != process else { return nil }
        var ancestor = RunningProcess(number: number).parent
        for _ in 0..<Self.depth {
            guard let found = ancestor else { return nil }
            if found.number == process { return Caller(process: number, user: user) }
            ancestor = found.parent
        }
        return nil
    }

    /// Returns the program for which this very process asks, for records; `nil` if it has not started that one, or the kernel does not tell.
    public static func clientMessage(_ number: Int32?) -> UserMessage? { own.started(number)?.tool?.message }

    static var own: Caller { Caller(process: getpid(), user: getuid()) }
}
