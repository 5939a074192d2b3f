package import AuthModel
import Localization
import TerminalUI

extension ActivityScreen {
    func title(in model: AppModel) -> String { program?.name ?? ActivityWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard !model.activity.isEmpty else {
            var page = Document()
            page.words([Document.Span(ActivityWords.empty, .title, .bold)])
            page.words(tr("Sign-ins, renewals, and every program that gets a token appear here."), .muted)
            return page.draw(in: area.middle(columns: 64, rows: 3), into: &buffer)
        }
        let margin = area.columns >= 60 ? Document.margin : 0
        let isFramed = titlesInFrame(of: layout(in: area.splitTop(filterRows).rest, model)) != nil
        let list = drawTop(in: area, margin: margin, model, isFramed: isFramed, into: &buffer)
        guard count > 0 else {
            let isFiltered = all > 0 && !filter.isEmpty
            let words =
                isFiltered
                ? tr("No activity matches \"{1}\". Press Esc to show all.", filter.text)
                : tr("No program has used a token yet. Press p to show all activity.")
            return buffer.draw(Paragraph(words, style: Style(isFiltered ? .warning : .muted)), in: list.inset(columns: margin))
        }
        if let places = layout(in: list, model) { return draw(places, model, into: &buffer) }
        let (rest, bottom) = list.splitBottom(list.rows >= 8 ? 3 : 0)
        let place = rest.inset(columns: margin)
        let table = view == .programs ? programTable(rest.columns, model, buffer.glyphs) : timeTable(place.columns, model, buffer.glyphs)
        table.draw(in: place, into: &buffer)
        drawWhole(in: bottom.inset(top: 1), model, into: &buffer)
    }

    /// The rows of the filter above the list.
    private var filterRows: Int { isFiltering || !filter.isEmpty ? 2 : 0 }

    private func layout(in area: Rect, _ model: AppModel) -> ActivityLayout? {
        count == 0 ? nil : ActivityLayout(in: area, programs: view == .programs ? programs.count : nil, model: model)
    }

    /// Returns the place of the titles in the box of the list; nil if they are above it, or there are none.
    private func titlesInFrame(of places: ActivityLayout?) -> Rect? {
        guard program == nil, let places else { return nil }
        return titles.place(inFrameOf: places.list, beside: Self.titleColumns)
    }

    /// The columns for the title of the list's box, with the lines around it.
    private static let titleColumns = 20

    /// Draws the last day, the list, and everything about the selected line.
    private func draw(_ places: ActivityLayout, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let shown = program.map { program in model.activity.filter { CallingProgram(of: $0) == program } } ?? model.activity
        if !places.graph.isEmpty { SessionsGraph(of: shown, model: model).draw(in: places.graph, key: nil, into: &buffer) }
        if !places.latest.isEmpty { LatestActivity(entries: shown, model: model).draw(in: places.latest, key: nil, into: &buffer) }
        let panel = Panel(view == .programs ? SessionDetailsPaneWords.programs : ActivityWords.title, surface: .screen, isFocused: true)
        buffer.draw(panel, in: places.list)
        if let row = titlesInFrame(of: places) { titles.draw(in: row, into: &buffer) }
        let inside = panel.content(of: places.list)
        let table = view == .programs ? programTable(inside.columns, model, buffer.glyphs) : timeTable(inside.columns, model, buffer.glyphs)
        table.draw(in: inside, into: &buffer)
        let details = ActivityDetails(model: model, glyphs: buffer.glyphs)
        if let use = selectedProgram {
            details.draw(use, in: places.details, into: &buffer)
        } else if let line = selectedLine {
            details.draw(line, in: places.details, into: &buffer)
        }
    }

    /// The minimum size for a line with the last day.
    private static let (rowsForDay, columnsForDay) = (16, 60)

    /// Draws the choice of the order or the program, and the filter. Returns the area below.
    ///
    /// - Parameter isFramed: whether the choice of the order is in the box of the list.
    private func drawTop(in area: Rect, margin: Int, _ model: AppModel, isFramed: Bool, into buffer: inout ScreenBuffer) -> Rect {
        // The last day has a line of its own where no panel shows it. Read line by line, it says nothing.
        let hasDay = program == nil && !isFramed && area.rows >= Self.rowsForDay && area.columns >= Self.columnsForDay && !model.isPlain
        let (head, below) = area.splitTop(isFramed || area.rows < 12 ? 0 : hasDay ? 4 : program == nil ? 2 : 3)
        if program == nil {
            let row = head.row(0).inset(columns: margin)
            // Read line by line, both names would say nothing of the choice.
            if model.isPlain {
                buffer.draw(Tabs([view.title], selected: 0, surface: .screen), in: row)
            } else {
                titles.draw(in: row, into: &buffer)
            }
            let day = head.inset(columns: 2 * margin, rows: 0).row(2)
            if hasDay { SessionsGraph(of: model.activity, model: model).drawLine(in: day, into: &buffer) }
        } else if !head.isEmpty, let use = ProgramUse.grouped(model.activity.filter { CallingProgram(of: $0) == program }).first {
            let inner = head.inset(columns: margin == 0 ? 0 : 2 * margin)
            buffer.draw(Label(use.program.path, style: Style(.muted), cut: .middle), in: inner.row(0))
            let facts = facts(of: use, model, buffer.glyphs)
            let sparkline = model.isPlain ? [] : UseHistory.picture(use.recent(until: model.now), buffer.glyphs) + [TextLine.Span("  ")]
            buffer.draw(TextLine(sparkline + facts), in: inner.row(1))
        }
        let (top, list) = below.splitTop(filterRows)
        guard !top.isEmpty else { return list }
        let row = top.row(0).inset(columns: margin)
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter, isFocused: isFiltering).draw(in: row, into: &buffer)
        let words = SessionListWords.found(found, of: all)
        buffer.write(words, in: row.inset(left: min(row.columns, 44)), style: Style(.muted), alignment: .right)
        return list
    }

    private func programTable(_ width: Int, _ model: AppModel, _ glyphs: GlyphSet) -> Table {
        // A sparkline says nothing when it is read line by line.
        let hasSparkline = !model.isPlain && width >= Self.sparklineTable
        let hasRefusals = programs.contains { $0.refusals > 0 }
        var columns = [
            TableColumn("  " + ActivityWords.program, minimum: 16, share: 2, importance: 6),
            TableColumn(
                ActivityWords.lastDay,
                minimum: max(SafeText.width(of: ActivityWords.lastDay), Self.countColumns + (hasSparkline ? UseHistory.parts : 0)),
                alignment: .right, importance: 4),
            TableColumn(
                ActivityWords.total, minimum: model.isPlain ? 24 : max(5, SafeText.width(of: ActivityWords.total)), alignment: .right,
                importance: 3),
            TableColumn(
                ActivityWords.lastUse, minimum: max(11, SafeText.width(of: ActivityWords.lastUse)), alignment: .right, importance: 5),
            TableColumn(ActivityWords.sessions, minimum: 20, share: 3, importance: 1),
        ]
        if hasRefusals {
            let width = model.isPlain ? 14 : SafeText.width(of: ActivityWords.refused)
            columns.insert(TableColumn(ActivityWords.refused, minimum: width, alignment: .right, importance: 2), at: 3)
        }
        let known = model.activity.first?.at
        let names = Dictionary(grouping: programs, by: \.program.name)
        return Table(columns: columns, count: programs.count, selected: selected) { index in
            let use = programs[index]
            let isMarked = index == selected
            var name = [
                Table.pointer(isMarked, glyphs), TextLine.Span(use.program.name, Style(.text, attributes: isMarked ? .bold : [])),
            ]
            if use.program.file.map(model.isBlocked) ?? false {
                name.append(TextLine.Span("  " + ActivityWords.blocked, Style(.danger)))
            } else if use.isNew(at: model.now, knownSince: known) {
                name.append(TextLine.Span("  " + ActivityWords.new, Style(.accent)))
            }
            if let folder = use.program.folder, (names[use.program.name]?.count ?? 0) > 1 {
                name.append(TextLine.Span("  " + folder, Style(.muted)))
            }
            return [.spans(name)] + counts(of: use, hasRefusals: hasRefusals, hasSparkline ? glyphs : nil, model) + [
                .text(Words.relative(use.last, to: model.now), Style(.muted)),
                .text(use.sessions.map(\.description).joined(separator: ", "), Style(.muted)),
            ]
        }
    }

    /// Returns the numbers of tokens of the last day and in total, and the number of refusals. Read line by line, numbers need words.
    ///
    /// - Parameters:
    ///   - hasRefusals: whether a program was refused a token, so that the table has a column for it.
    ///   - glyphs: draw the picture of the last day before its sum; nil leaves it out.
    private func counts(of use: ProgramUse, hasRefusals: Bool, _ glyphs: GlyphSet?, _ model: AppModel) -> [Table.Content] {
        let recent = use.recent(until: model.now)
        let day = recent.reduce(0, +)
        let words = model.isPlain ? ActivityWords.refused(use.refusals) : "\(use.refusals)"
        let refusals: [Table.Content] = hasRefusals ? [.text(use.refusals > 0 ? words : "", Style(.warning))] : []
        guard !model.isPlain else { return [.text(ActivityWords.tokens(day)), .text(ActivityWords.inTotal(use.tokens))] + refusals }
        let gap = String(repeating: " ", count: max(1, Self.countColumns - "\(day)".count))
        return [
            .spans((glyphs.map { UseHistory.picture(recent, $0) } ?? []) + [TextLine.Span("\(gap)\(day)", Style(.text))]),
            .text("\(use.tokens)", Style(.muted)),
        ] + refusals
    }

    /// The width of a number of tokens, with a space before it.
    private static let countColumns = 5
    /// The minimum width of the table of programs for the picture of the last day.
    private static let sparklineTable = 44

    private func timeTable(_ width: Int, _ model: AppModel, _ glyphs: GlyphSet) -> Table {
        let rows = ActivityRows(lines, in: model)
        let isNarrow = width < 30
        let hasAge = width >= SessionsSidePanels.wideColumns
        let selectedRow = rows.row(of: selected)
        var table = Table(
            columns: isNarrow
                ? [TableColumn("  " + ActivityWords.what, minimum: 1, share: 1)]
                : timeColumns(width, rows, hasAge: hasAge, model),
            count: rows.count, selected: selectedRow
        ) { row in
            guard let index = rows.line(at: row) else { return [rows.date(at: row, glyphs, columns: width - 1)] }
            let line = lines[index]
            let entry = line.newest
            let pointer = Table.pointer(row == selectedRow, glyphs)
            let event = rows.event(of: line, glyphs)
            guard !isNarrow else { return [.spans([pointer] + event)] }
            var cells: [Table.Content] = [.spans([pointer, TextLine.Span(rows.time(of: line), Style(.muted))])]
            if hasAge { cells.append(.text(Words.relative(entry.at, to: model.now), Style(.muted))) }
            return cells + [
                .spans(event), .text(entry.session?.description ?? "", Style(.text)), .text(entry.details, Style(.text)),
                .text(line.times(glyphs), Style(.muted)),
            ]
        }
        table.clicked = rows.line
        return table
    }

    /// Returns the columns of the list of entries: the events and the sessions as wide as they are, as long as the details have some space.
    private func timeColumns(_ width: Int, _ rows: ActivityRows, hasAge: Bool, _ model: AppModel) -> [TableColumn] {
        let (times, counts) = (rows.timeColumns, rows.countColumns)
        let names = Set(model.activity.map(\.kind)).reduce(14) { max($0, min(Self.longestEvent, SafeText.width(of: Words.activity($1)))) }
        let events = rows.markColumns + names
        // The pointer, the scroll bar and the gaps take columns too.
        let age = hasAge ? Self.ageColumns + Table.gap : 0
        let count = counts > 0 ? counts + Table.gap : 0
        let room = width - 1 - 2 - times - age - events - Self.leastDetails - count - 3 * Table.gap
        let sessions = min(model.nameColumns, room, max(20, width / 3))
        var columns = [TableColumn("  " + ActivityWords.time, minimum: 2 + times, importance: 5)]
        if hasAge { columns.append(TableColumn("", minimum: Self.ageColumns, alignment: .right, importance: 1)) }
        return columns + [
            TableColumn(ActivityWords.what, minimum: events, importance: 4),
            TableColumn(ActivityWords.session, minimum: max(10, sessions), importance: 3),
            TableColumn(ActivityWords.text, minimum: Self.leastDetails, share: 1, importance: 2),
        ] + (counts > 0 ? [TableColumn("", minimum: counts, alignment: .right, importance: 3)] : [])
    }

    private static let longestEvent = 20
    private static let ageColumns = 11
    private static let leastDetails = 12

    /// Draws everything about the selected line, because the table rarely has space for the path of a program or the reason of a failure.
    private func drawWhole(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        guard !area.isEmpty else { return }
        let inner = area.inset(columns: area.columns >= 60 ? 2 * Document.margin : area.columns >= 30 ? Document.margin : 0)
        if let use = selectedProgram {
            buffer.draw(Label(use.program.path, style: Style(.muted), cut: .middle), in: inner.row(0))
            buffer.draw(TextLine(facts(of: use, model, buffer.glyphs)), in: inner.row(1))
        } else if let line = selectedLine {
            let entry = line.newest
            let text = [entry.session?.description ?? "", entry.fullDetails].filter { !$0.isEmpty }.joined(separator: ": ")
            // The row with the date may be above the first one that is seen.
            let time = line.count > 1 ? ActivityWords.times(of: line, now: model.now) : Words.time(entry.at, now: model.now)
            buffer.draw(Paragraph([text, time].joined(separator: Words.dot(buffer.glyphs)), style: Style(.muted)), in: inner)
        }
    }

    /// Returns the counts and times of a program's use, in one line.
    private func facts(of use: ProgramUse, _ model: AppModel, _ glyphs: GlyphSet) -> [TextLine.Span] {
        var facts = [TextLine.Span(ActivityWords.inTotal(use.tokens), Style(.text))]
        if use.refusals > 0 { facts.append(TextLine.Span(ActivityWords.refused(use.refusals), Style(.warning))) }
        if use.program.file.map(model.isBlocked) ?? false { facts.append(TextLine.Span(ActivityWords.blocked, Style(.danger))) }
        if use.isNew(at: model.now, knownSince: model.activity.first?.at) {
            facts.append(TextLine.Span(ActivityWords.new, Style(.accent)))
        }
        facts.append(TextLine.Span(ActivityWords.firstUse(Words.relative(use.first, to: model.now)), Style(.muted)))
        // The list of one program shows the session of each entry.
        if program == nil { facts += use.sessions.map { TextLine.Span($0.description, Style(.muted)) } }
        return Array(facts.map { [$0] }.joined(separator: [TextLine.Span(Words.dot(glyphs), Style(.muted))]))
    }
}

/// The texts of the activity list.
package enum ActivityWords {
    package static var title: String { tr("Activity") }
    package static var nothingYet: String { tr("no activity yet") }
    package static var empty: String { tr("No activity yet.") }
    package static var noProgram: String { tr("no program has used a token yet") }
    package static var blocked: String { tr("blocked") }
    package static func isBlocked(_ program: String) -> String { tr("{1} gets no token any more; press b to allow it again", program) }
    package static var noPathToBlock: String { tr("only a program on this machine can be blocked") }
    package static var program: String { tr("Program") }
    package static var lastDay: String { SessionsGraphWords.pastDay }
    package static var total: String { tr("Total") }
    package static var refused: String { tr("Refused") }
    package static func inTotal(_ count: Int) -> String { plural(count, "{1} token in total", "{1} tokens in total") }
    package static var lastUse: String { tr("Last use") }
    package static var firstUse: String { tr("First use") }
    package static var sessions: String { SessionListWords.title }
    package static var time: String { tr("Time") }
    package static var what: String { tr("Event") }
    package static var session: String { SessionListWords.session }
    package static var text: String { tr("Details") }
    package static var new: String { tr("new") }
    package static func tokens(_ count: Int) -> String { plural(count, "{1} token", "{1} tokens") }
    package static func refused(_ count: Int) -> String { plural(count, "{1} refusal", "{1} refusals") }
    package static func firstUse(_ when: String) -> String { tr("first use {1}", when) }
    /// Returns how often an event happened, and from when to when.
    static func times(of line: FoldedActivity, now: Timestamp) -> String {
        tr("{1} times, from {2} to {3}", line.count, Words.time(line.oldest.at, now: now), Words.time(line.newest.at, now: now))
    }

    /// Returns who used a token for what, such as `git fetch, git.example.org, by zsh`.
    package static func use(_ use: TokenUse) -> String {
        let program = use.command.map { "\(use.program.name) \($0)" } ?? use.program.name
        return [program, use.destination, use.parent.map { tr("by {1}", $0.name) }].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the name of an event. A sign-in that the user cancelled did not fail.
    package static func event(_ entry: Activity) -> String { entry.isCancelled ? tr("cancelled") : Words.activity(entry.kind) }
}
