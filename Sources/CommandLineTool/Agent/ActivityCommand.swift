internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// `yett activity`: prints what happened, and which process used a token. Reads only the log.
struct ActivityCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "Show what happened, and who used a token.",
        discussion: """
            The newest entries come first. Repeats within an hour are one line, with their number. The whole paths of programs are in the \
            JSON.
            """)
    static let examples: KeyValuePairs = ["yett activity": "Shows the latest entries."]
    static let handlesInterruptions = false

    @Option(
        help: ArgumentHelp("The number of most recent entries. Default: 50, and no more lines than the terminal has.", valueName: "count"))
    var limit: Int?

    private static let usualLimit = 50

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...ActivityLog.limit).contains(limit ?? Self.usualLimit) else {
            throw ValidationError("--limit must be between 1 and \(ActivityLog.limit)")
        }
    }

    func run(in context: CommandContext) async throws {
        let records = try ActivityLog(folder: try context.directories.state).recent(limit ?? Self.usualLimit)
        try context.answer(ActivityReport(records: records, now: context.now, isWhole: limit != nil), asJSON: json)
        if records.isEmpty, !json { context.console.note("the activity log is empty", hint: "it begins with a sign-in: yett login") }
    }
}

/// Records of the activity log, newest first. In the table, programs have their names only, and repeats are one line.
private struct ActivityReport: Answer {
    let records: [ActivityRecord]
    /// The day whose times are shown without their date on a terminal.
    let now: Timestamp
    /// Whether a terminal shows all lines, even if the first ones leave the screen.
    let isWhole: Bool

    var lines: [String] {
        guard !records.isEmpty else { return [] }
        var table = TextTable("TIME", "SESSION", "WHAT", "PROCESS")
        for (line, record) in entries {
            table.add([line.newest.at.inLocalTime, Self.session(line), Self.words(line), record.process.map(String.init) ?? "-"])
        }
        return table.lines
    }

    func rows(on display: Display) -> [StyledText] {
        let times = display.glyphs == .unicode ? "×" : "x"
        var table = TextTable("TIME", "", "SESSION", "WHAT")
        table.folding = 3
        for (line, record) in entries {
            let kind = line.newest.kind
            let mark = Self.failures.contains(kind) ? display.bad : Self.successes.contains(kind) ? display.good : display.neutral
            table.add([
                StyledText(line.newest.at.inShortLocalTime(at: now), .muted), mark, StyledText(Self.session(line), .title),
                StyledText(line.newest.message.withProgramNames.english, Self.failures.contains(kind) ? .danger : .text)
                    + StyledText(Self.process(record) + (line.count > 1 ? " \(times)\(line.count)" : ""), .muted),
            ])
        }
        let all = table.entries(on: display)
        // The prompt and the last row need a row each.
        let room = max(display.rows - 2, 2)
        guard !isWhole, all.joined().count > room else { return all.flatMap(\.self) }
        var rows: [StyledText] = []
        var hidden = all.count
        for entry in all {
            guard rows.count + entry.count <= room else { break }
            rows += entry
            hidden -= 1
        }
        return rows + [StyledText("and \(hidden) more: add --limit " + String(records.count), .muted)]
    }

    private static let failures: Set<Activity.Kind> = [.signInFailed, .renewalFailed, .tokenRefused]
    private static let successes: Set<Activity.Kind> = [.signedIn, .renewed]

    /// The lines, each with the record of its newest entry.
    private var entries: [(FoldedActivity, ActivityRecord)] {
        var index = 0
        return FoldedActivity.folded(records.map(\.activity)).map { line in
            defer { index += line.entries }
            return (line, records[index])
        }
    }

    private static func session(_ line: FoldedActivity) -> String { line.newest.session?.description ?? "-" }

    /// Returns the number of the process after the text of its record: `" (4711)"` if the text ends with the process's program, else with
    /// the program's name, which may be yett where the text names the program that started it. Empty if the text has the number.
    private static func process(_ record: ActivityRecord) -> String {
        guard let number = record.process.map({ String($0) }) else { return "" }
        let text = record.activity.message.withProgramNames.english
        guard let program = record.program.map({ CallingProgram(path: $0).name }) else {
            return text.contains(number) ? "" : " (process \(number))"
        }
        // The launcher runs the full program for most commands.
        let name = program == "yett-main" ? "yett" : program
        return " (\(text.hasSuffix(" " + name) ? "" : name + " ")\(number))"
    }

    private static func words(_ line: FoldedActivity) -> String {
        line.newest.message.withProgramNames.english + (line.count > 1 ? " (\(line.count) times)" : "")
    }

    var json: JSONValue { .answer(("activity", .array(records.map(\.object)))) }
}
