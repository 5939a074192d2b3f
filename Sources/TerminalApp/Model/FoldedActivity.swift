package import AuthModel
import Localization
import TerminalUI

/// Entries in a row that differ in their time only, each at most an hour after the one before, as one line of a list. Sessions that renew
/// in turns have a line each.
package struct FoldedActivity: Equatable, Sendable {
    /// The newest of the entries.
    package let newest: Activity
    /// The oldest of the entries.
    package private(set) var oldest: Activity
    /// The number of times that it happened.
    package private(set) var count: Int
    /// The number of the folded entries, which are fewer if an entry counts repetitions.
    package private(set) var entries = 1

    private static let longestGap = Duration.seconds(3600)
    /// The most sessions that renew in turns.
    private static let mostRenewing = 16

    private init(_ entry: Activity) {
        newest = entry
        oldest = entry
        count = entry.count
    }

    /// Folds entries.
    ///
    /// - Parameter entries: the newest first.
    package static func folded(_ entries: some Sequence<Activity>) -> [FoldedActivity] {
        var lines: [FoldedActivity] = []
        for entry in entries {
            if let index = line(of: entry, in: lines) {
                lines[index].oldest = entry
                lines[index].count += entry.count
                lines[index].entries += 1
            } else {
                lines.append(FoldedActivity(entry))
            }
        }
        return lines
    }

    private static func line(of entry: Activity, in lines: [FoldedActivity]) -> Int? {
        for index in lines.indices.suffix(mostRenewing).reversed() {
            let oldest = lines[index].oldest
            if entry.repeats(oldest), oldest.at - entry.at <= longestGap { return index }
            guard entry.kind == .renewed, oldest.kind == .renewed else { return nil }
        }
        return nil
    }

    /// Returns the newest lines, the newest first.
    ///
    /// - Parameter entries: the newest last.
    static func newest(_ entries: [Activity], limit: Int) -> [FoldedActivity] {
        // Reads only as many entries as the lines may need, unless many of them repeat.
        var count = 8 * max(1, limit)
        while true {
            let lines = folded(entries.suffix(count).reversed())
            // Older renewals may be folded into one of the last lines.
            if lines.count >= limit + mostRenewing || count >= entries.count { return Array(lines.prefix(limit)) }
            count *= 8
        }
    }

    /// Returns how often it happened; empty for once.
    func times(_ glyphs: GlyphSet) -> String { count > 1 ? "\(glyphs == .ascii ? "x" : "×")\(count)" : "" }
}

/// The rows of a list of activity, the newest first: one for each line, and above the first line of each day but today one with the date.
struct ActivityRows {
    /// A row of the list.
    enum Row: Equatable, Sendable {
        /// The date of the lines below, of which this is the newest time.
        case date(Timestamp)
        /// The index of a line.
        case line(Int)
    }

    let lines: [FoldedActivity]
    private(set) var rows: [Row] = []
    /// The row of each line.
    private var places: [Int] = []
    /// Whether each time has its date, and no row has one: for a list that is read line by line.
    private let isPlain: Bool
    private let now: Timestamp

    /// - Parameter limit: the maximum number of rows.
    init(_ lines: [FoldedActivity], limit: Int = .max, in model: AppModel) {
        (self.lines, isPlain, now) = (lines, model.isPlain, model.now)
        var day = Words.day(now)
        for (index, line) in lines.enumerated() {
            let own = Words.day(line.newest.at)
            let hasDate = own != day && !isPlain
            guard rows.count + (hasDate ? 2 : 1) <= limit else { break }
            if hasDate { rows.append(.date(line.newest.at)) }
            places.append(rows.count)
            rows.append(.line(index))
            day = own
        }
    }

    var count: Int { rows.count }

    /// Returns the row of a line.
    func row(of line: Int) -> Int { places.indices.contains(line) ? places[line] : 0 }

    /// Returns the line of a row; nil for a date.
    func line(at row: Int) -> Int? {
        if case .line(let index) = rows[row] { index } else { nil }
    }

    /// The width of the times: in a plain list, that of the oldest one.
    var timeColumns: Int { isPlain ? Words.timeColumns(lines.suffix(1).map(\.newest.at), now: now) : 5 }

    func time(of line: FoldedActivity) -> String {
        isPlain ? Words.time(line.newest.at, now: now, columns: timeColumns) : Words.hourAndMinute(line.newest.at)
    }

    /// The width of the mark before what happened, with the space after it. A list that is read line by line has none.
    var markColumns: Int { isPlain ? 0 : 2 }

    /// Returns the mark and the name of what happened.
    func event(of line: FoldedActivity, _ glyphs: GlyphSet) -> [TextLine.Span] {
        let entry = line.newest
        let mark = isPlain ? [] : [TextLine.Span(entry.mark(glyphs) + " ", Style(entry.role))]
        return mark + [TextLine.Span(ActivityWords.event(entry), Style(entry.role))]
    }

    /// The width of the counts; 0 if nothing happened twice.
    var countColumns: Int {
        let most = lines.reduce(1) { max($0, $1.count) }
        return most > 1 ? 1 + String(most).count : 0
    }

    /// Returns the content of a row with a date in a table whose first column begins with a pointer.
    func date(at row: Int, _ glyphs: GlyphSet, indent: Int = 2, columns: Int) -> Table.Content {
        guard case .date(let at) = rows[row] else { return .text("") }
        let title = Self.title(at, glyphs, columns: columns - indent)
        return .across([TextLine.Span(String(repeating: " ", count: indent) + title, Style(.muted))])
    }

    /// Returns the text of a row with a date.
    ///
    /// - Parameter columns: the width that a line after the date fills.
    private static func title(_ at: Timestamp, _ glyphs: GlyphSet, columns: Int = 0) -> String {
        let line = glyphs.horizontal
        let date = line + line + " " + Words.date(at) + " "
        return date + String(repeating: line, count: max(0, columns - date.count))
    }

    /// The most columns of the details before a count.
    private static let mostDetails = 60

    /// Adds the rows to a document, in the columns of a table: the time, the mark and what happened, the details, and the count.
    ///
    /// - Parameter details: returns what is said of a line, after its time and its event, and before its count.
    func add(to page: inout Document, _ glyphs: GlyphSet, details: (FoldedActivity) -> String) {
        let width = timeColumns + 2
        let events = lines.reduce(0) { max($0, SafeText.width(of: ActivityWords.event($1.newest))) }
        // A row without a count may be longer, and is wrapped.
        let longest = lines.reduce(0) { $1.count > 1 ? max($0, SafeText.width(of: details($1))) : $0 }
        let texts = longest == 0 ? 0 : min(Self.mostDetails, longest) + 2
        let end = width + markColumns + events + 2 + texts + countColumns
        for row in rows {
            switch row {
            case .date(let at): page.row(Document.Span(Self.title(at, glyphs), .muted))
            case .line(let index):
                let line = lines[index]
                let (at, words, times) = (time(of: line), details(line), line.times(glyphs))
                var spans = event(of: line, glyphs)
                let gap = isPlain ? 2 : events - SafeText.width(of: ActivityWords.event(line.newest)) + 2
                if !words.isEmpty { spans.append(Document.Span(String(repeating: " ", count: gap) + words, .muted)) }
                if isPlain, !times.isEmpty { spans.append(Document.Span((words.isEmpty ? "  " : " ") + times, .muted)) }
                guard !isPlain, !times.isEmpty else {
                    page.term(at, spans, width: width)
                    continue
                }
                let space = String(repeating: " ", count: max(0, width - SafeText.width(of: at)))
                page.timed([Document.Span(at + space, .muted)] + spans, Document.Span(times, .muted), column: end)
            }
        }
    }
}

extension Activity {
    /// Whether the user cancelled a sign-in, which is recorded as a failed one.
    package var isCancelled: Bool { kind == .signInFailed && message.code == "sign_in.cancelled" }

    /// Returns the mark of the event, so that its colour is not the only sign of its kind.
    func mark(_ glyphs: GlyphSet) -> String {
        let isASCII = glyphs == .ascii
        return switch kind {
        case .signedIn: glyphs.disc
        case .signedOut: glyphs.circle
        case .renewed: isASCII ? "~" : "↻"
        case .issued: isASCII ? "-" : "→"
        case .consented: glyphs.check
        case .consentedByCaller, .sealChanged: "!"
        case .signInFailed, .renewalFailed, .tokenRefused: glyphs.cross
        }
    }

    /// The scopes and the audience of an issued token; nil if the entry names none.
    package var restriction: UserMessage? {
        guard case .message(let note)? = message.arguments["restriction"] ?? message.arguments["terms"] else { return nil }
        return note
    }

    /// Returns whether a list shows both entries alike. The service and the log of the agent have different messages for an issued token.
    fileprivate func repeats(_ other: Activity) -> Bool {
        guard kind == other.kind, session == other.session else { return false }
        if message == other.message { return true }
        guard kind == .issued, let use = TokenUse(of: self) else { return false }
        return use == TokenUse(of: other) && restriction == other.restriction
    }
}

/// A filter of the activity by words, whose letters may be apart in the names of programs and events: `kctl` finds `kubectl`.
///
/// In sessions and details, which are longer, a word must occur as a whole, because its letters occur apart in most of them.
package struct ActivityFilter {
    private let words: [String]
    private var known: [String: Set<Int>] = [:]

    package init(_ text: String) { words = text.split(separator: " ").map(String.init) }

    /// Returns whether an entry matches.
    package mutating func fits(_ entry: Activity) -> Bool {
        guard !words.isEmpty else { return true }
        var found = matches(in: ActivityWords.event(entry))
        if let program = CallingProgram(of: entry) { found.formUnion(matches(in: program.name)) }
        return fits(found, entry.session?.description ?? "", entry.message.text())
    }

    /// Returns whether a program matches: by its name or its sessions.
    package mutating func fits(_ use: ProgramUse) -> Bool {
        guard !words.isEmpty else { return true }
        let sessions = use.sessions.map(\.description).joined(separator: " ")
        return fits(matches(in: use.program.name), sessions)
    }

    /// Returns whether each word is one of `found` or occurs in one of the texts.
    private func fits(_ found: Set<Int>, _ texts: String...) -> Bool {
        words.indices.allSatisfy { found.contains($0) || Filter(words[$0]).fits(more: texts) }
    }

    /// Returns the indices of the words that match a name. The activity has few different names, so each is matched once.
    private mutating func matches(in name: String) -> Set<Int> {
        if let matches = known[name] { return matches }
        let matches = Set(words.indices.filter { FuzzyMatch(words[$0], in: name) != nil })
        known[name] = matches
        return matches
    }
}
