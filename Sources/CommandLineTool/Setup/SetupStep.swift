internal import AuthModel
internal import UserConfiguration

/// The change of one file.
struct SetupStep: Sendable {
    /// One part of a step.
    enum Action: Sendable {
        /// Runs a command of the tool.
        case run([String])
        case write(FileEdit)
        /// Removes a file that the commands before have left empty.
        case removeIfEmpty(String)
        case hosts(HostChange, ConfigurationFile)
    }

    /// The file as it is shown.
    let place: String
    /// The paths of the files that may change.
    let files: [String]
    let actions: [Action]
    /// The lines that go away.
    var before: [String] = []
    /// The lines that are new.
    var after: [String] = []

    /// Whether the step runs commands of the tool.
    var runsCommands: Bool { actions.contains { if case .run = $0 { true } else { false } } }

    init(place: String, files: [String], actions: [Action], before: [String] = [], after: [String] = []) {
        (self.place, self.files, self.actions) = (place, files, actions)
        (self.before, self.after) = (before, after)
    }

    /// Creates the step of an edit, with the lines that differ. Lines with secrets must be given instead.
    init(_ edit: FileEdit, showing lines: LineDifference? = nil) {
        let before = edit.before.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = lines ?? LineDifference(from: before, to: edit.isRemoval ? "" : edit.after)
        self.init(place: edit.path, files: [edit.path], actions: [.write(edit)], before: lines.before, after: lines.after)
    }

    /// Creates the step of a change of `api_hosts`.
    init(_ change: HostChange, in file: ConfigurationFile) throws(AuthFailure) {
        let text = try file.preview(change)
        let lines = LineDifference(from: text.before, to: text.after)
        self.init(
            place: "\(file.path), [providers.\(change.provider)]", files: [file.path], actions: [.hosts(change, file)],
            before: lines.before, after: lines.after)
    }
}
