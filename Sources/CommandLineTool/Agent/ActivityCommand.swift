internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalApp
internal import UserConfiguration

/// `yett activity`: prints what happened, and which process used a token. Reads only the log.
struct ActivityCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "Show what happened, and who used a token.",
        discussion: "Repeats within an hour are one line, with their number. The whole paths of programs are in the JSON.")
    static let examples: KeyValuePairs = ["yett activity": "Shows the latest entries."]
    static let handlesInterruptions = false

    @Option(help: ArgumentHelp("The number of most recent lines.", valueName: "count"))
    var limit = 50

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...ActivityLog.limit).contains(limit) else { throw ValidationError("--limit must be between 1 and \(ActivityLog.limit)") }
    }

    func run(in context: CommandContext) async throws {
        let records = try ActivityLog(folder: try context.directories.state).recent(limit)
        try context.console.answer(ActivityReport(records: records), asJSON: json)
        if records.isEmpty, !json { context.console.note("the activity log is empty") }
    }
}

/// Records of the activity log, newest first. In the table, programs have their names only, and repeats are one line.
private struct ActivityReport: Answer {
    let records: [ActivityRecord]

    var lines: [String] {
        guard !records.isEmpty else { return [] }
        var table = Table("TIME", "SESSION", "WHAT", "PROCESS")
        var index = 0
        for line in FoldedActivity.folded(records.map(\.activity)) {
            let times = line.count > 1 ? " (\(line.count) times)" : ""
            table.add([
                line.newest.at.inLocalTime, line.newest.session?.description ?? "-",
                line.newest.message.withProgramNames.english + times, records[index].process.map(String.init) ?? "-",
            ])
            index += line.entries
        }
        return table.lines
    }

    var json: JSONValue { .answer(("activity", .array(records.map(\.object)))) }
}
