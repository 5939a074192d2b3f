internal import AuthModel

/// One line on the terminal with the progress of a long transfer.
struct TransferProgress {
    private let console: Console
    private let time: any TimeSource
    private let start: Duration
    private let total: Int?
    private var received = 0
    private var shown: Duration?
    private var width = 0

    /// A shorter transfer shows nothing.
    private static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(250)

    init(total: Int?, console: Console, time: any TimeSource) {
        self.total = total
        self.console = console
        self.time = time
        start = time.bootTime
    }

    /// Counts received bytes, and shows the progress now and then.
    mutating func add(_ count: Int) {
        received += count
        let now = time.bootTime
        guard now - start >= Self.delay, now - (shown ?? .zero) >= Self.interval || shown == nil else { return }
        shown = now
        let line = Self.line(received, of: total, after: now - start)
        console.overwrite(line, clearing: width)
        width = line.utf8.count
    }

    /// Removes the line.
    mutating func end() {
        guard width > 0 else { return }
        console.overwrite("", clearing: width)
        width = 0
    }

    /// Returns the line, such as `12.5 MB of 100 MB, 3.1 MB/s`.
    static func line(_ received: Int, of total: Int?, after elapsed: Duration) -> String {
        let milliseconds = max(1, elapsed.wholeMilliseconds)
        let speed = Int(min(Double(received) * 1000 / Double(milliseconds), Double(Int.max / 2)))
        let whole = total.map { " of \(size($0))" } ?? ""
        return "\(size(received))\(whole), \(size(speed))/s"
    }

    /// Returns a size in the largest decimal unit, with one decimal place below 100.
    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        guard unit > 0, value < 99.95 else { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
