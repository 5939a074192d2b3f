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
