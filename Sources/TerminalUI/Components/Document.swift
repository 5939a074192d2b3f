/// A text layout for any width, which can be scrolled.
package struct Document: Equatable, Sendable {
    /// A piece of text in one style.
    package typealias Span = TextLine.Span

    /// A block of a document.
    package enum Block: Equatable, Sendable {
        /// An empty row.
        case blank
        /// Wrapped text; rows after the first are indented by `hanging` more columns.
        case words([Span], indent: Int, hanging: Int)
        /// One row; cut if it is too long.
        case row([Span], indent: Int)
        /// Spans, and a time that ends before a fixed column, or at the end of the row if that is shorter.
        case timed([Span], Span, column: Int)
        /// Text over the whole width without a margin, so that a selection with the mouse can be pasted unchanged.
        case verbatim(Span)
        /// A bar for a proportion, then text.
        case bar(Bar, Span)
        /// A term, and its value wrapped in a second column.
        case term(String, [Span], width: Int, name: Role = .muted)
        /// A form field after its label, and after the title of its group, where there is space for one.
        case input(String, FieldContent, labelWidth: Int, isFocused: Bool, group: String = "", groupWidth: Int = 0)
        /// A masked field.
        case field(SecretField, isFocused: Bool)
    }

    /// The margin in columns on both sides, where there is space.
    package static let margin = 2

    /// The blocks from top to bottom.
    package var blocks: [Block] = []
    /// The meaning of a click on a block, by its index.
    private(set) var targets: [Int: ScreenTarget.Meaning] = [:]
    /// The indices of the blocks that have the ground of a selected row.
    private(set) var chosen: Set<Int> = []
    /// Whether there is a margin.
    package var hasMargin = true
    /// Whether the document is a card, where a selection of whole rows has lines around it: verbatim text that fits has the margin.
    package var isInCard = false
    /// Whether the value of a term has one row and is cut at its end, instead of wrapped.
    package var cutsTerms = false

    /// Creates an empty document.
    package init() {}

    /// Sets the meaning of a click on the last block.
    package mutating func mark(as meaning: ScreenTarget.Meaning) { targets[blocks.count - 1] = meaning }

    /// Gives the last block the ground of a selected row, as in a table.
    package mutating func choose() { chosen.insert(blocks.count - 1) }

    /// Adds a row of a list of choices. The chosen one has the pointer and the ground of a selected row, as in a table.
    package mutating func choice(_ spans: [Span], isChosen: Bool, _ glyphs: GlyphSet) {
        blocks.append(.row([Table.pointer(isChosen, glyphs)] + spans, indent: 0))
        if isChosen { choose() }
    }

    /// Adds an empty row, except at the start and after another empty row.
    package mutating func blank() { if let last = blocks.last, last != .blank { blocks.append(.blank) } }
    /// Adds a heading after an empty row.
    package mutating func heading(_ text: String) {
        blank()
        blocks.append(.row([Span(text, .title, .bold)], indent: 0))
    }
    /// Adds wrapped text in one style.
    package mutating func words(_ text: String, _ role: Role = .text, indent: Int = 0) {
        blocks.append(.words([Span(text, role)], indent: indent, hanging: 0))
    }
    /// Adds wrapped text; rows after the first are indented by `hanging` more columns.
    package mutating func words(_ spans: [Span], indent: Int = 0, hanging: Int = 0) {
        blocks.append(.words(spans, indent: indent, hanging: hanging))
    }
    /// Adds one row, which is cut if it is too long.
    package mutating func row(_ spans: Span..., indent: Int = 0) { blocks.append(.row(spans, indent: indent)) }
    /// Adds a row of spans, and a time that ends before a fixed column, so that the times of several rows end below each other.
    package mutating func timed(_ spans: [Span], _ time: Span, column: Int) { blocks.append(.timed(spans, time, column: column)) }
    /// Adds a term with its value in a second column.
    package mutating func term(_ name: String, _ value: String, _ role: Role = .text, width: Int) {
        blocks.append(.term(name, [Span(value, role)], width: width))
    }
    /// Adds a term with its value, of several styles, in a second column.
    package mutating func term(_ name: String, _ spans: [Span], width: Int, as role: Role = .muted) {
        blocks.append(.term(name, spans, width: width, name: role))
    }
    /// Adds text over the whole width, without a margin.
    package mutating func verbatim(_ span: Span) { blocks.append(.verbatim(span)) }
    /// Adds one row of a QR code, whose light modules are characters: black on white in every theme with colours.
    package mutating func picture(_ line: String) {
        var span = Span(line)
        span.style.surface = .paper
        blocks.append(.row([span], indent: 0))
    }
    /// Adds a masked field.
    package mutating func field(_ field: SecretField, isFocused: Bool = true) { blocks.append(.field(field, isFocused: isFocused)) }
    /// Adds a form field after its label, and after the title of its group, which has no space on a narrow page.
    package mutating func input(
        _ label: String, _ input: FieldContent, labelWidth: Int, isFocused: Bool, group: String = "", groupWidth: Int = 0
    ) {
        blocks.append(
            .input(label, input, labelWidth: labelWidth, isFocused: isFocused, group: group, groupWidth: groupWidth))
    }
    /// Adds a button, and a note after it.
    package mutating func button(_ label: String, isFocused: Bool, note: String = "", indent: Int = 0) {
        let button = Button(label, isChosen: isFocused)
        blocks.append(.row(button.spans + [Span(note.isEmpty ? "" : "   " + note, .muted)], indent: indent))
    }
    /// Adds a bar for a proportion from 0 to 1, then text.
    package mutating func bar(_ share: Double, _ words: String, _ role: Role, bar: Role) {
        self.bar(Bar(share, style: Style(bar)), words, role)
    }
    /// Adds a bar, then text.
    package mutating func bar(_ bar: Bar, _ words: String, _ role: Role) { blocks.append(.bar(bar, Span(words, role))) }

    /// Returns the number of scroll positions: one more than the rows that do not fit.
    package func scrollPositions(in size: Size) -> Int {
        max(0, rows(columns: size.columns).count - size.rows) + 1
    }

    /// Returns the document with whole values of its terms if all its rows then fit, else the document itself.
    package func whole(in size: Size) -> Document {
        var whole = self
        whole.cutsTerms = false
        return whole.scrollPositions(in: size) == 1 ? whole : self
    }

    /// Draws the visible rows from row `scroll` on, with marks at the right edge if there are more rows.
    package func draw(in area: Rect, scroll: Int = 0, surface: Surface = .screen, into buffer: inout ScreenBuffer) {
        let rows = rows(columns: area.columns)
        let top = min(max(0, scroll), max(0, rows.count - area.rows))
        for (offset, row) in rows.dropFirst(top).prefix(area.rows).enumerated() {
            row.draw(at: Point(column: area.left, row: area.top + offset), clip: area, surface: surface, into: &buffer)
        }
        if top > 0 { Self.mark(buffer.glyphs.more.up, row: area.top, of: area, in: &buffer) }
        if top + area.rows < rows.count { Self.mark(buffer.glyphs.more.down, row: area.bottom - 1, of: area, in: &buffer) }
    }

    /// Draws a mark for more rows; never over a character, which may belong to a URL that the user copies.
    private static func mark(_ sign: String, row: Int, of area: Rect, in buffer: inout ScreenBuffer) {
        let point = Point(column: area.right - 1, row: row)
        guard let cell = buffer.cell(at: point), cell.text == " " else { return }
        let ground: Surface = cell.style.surface == .selection ? .selection : .screen
        buffer.write(sign, at: point, style: Style(.muted, on: ground), clip: area)
    }

    /// Returns the scroll offset that makes `rows` visible in a page of `height` rows.
    package static func scroll(to rows: Range<Int>, height: Int) -> Int {
        min(max(0, rows.upperBound - height), rows.lowerBound)
    }
}

extension Document.Row {
    func draw(at origin: Point, clip: Rect, surface: Surface, into buffer: inout ScreenBuffer) {
        if let target { buffer.mark(Rect(column: clip.left, row: origin.row, columns: clip.columns, rows: 1), as: target) }
        var surface = surface
        if let ground {
            surface = .selection
            let row = Rect(column: origin.column + ground.lowerBound, row: origin.row, columns: ground.count, rows: 1)
            buffer.fill(row.intersection(clip), style: Style(.text, on: surface))
        }
        for run in runs {
            // Text with a surface of its own keeps it.
            let style = run.style.surface == .screen ? run.style.on(surface) : run.style
            let start = Point(column: origin.column + run.column, row: origin.row)
            let end = buffer.write(run.glyphs, at: start, style: style, clip: clip)
            guard let link = run.link, end > start.column else { continue }
            buffer.link(Rect(origin: start, size: Size(columns: end - start.column, rows: 1)).intersection(clip), to: link)
        }
        if let figure {
            let rect = Rect(column: origin.column + figure.column, row: origin.row, columns: figure.columns, rows: 1).intersection(clip)
            switch figure.content {
            case .bar(var bar):
                bar.style = bar.style.on(surface)
                buffer.draw(bar, in: rect)
            case .input(.secret(let content), let isFocused):
                var field = MaskedField(content, isFocused: isFocused)
                field.ground = TextField.ground(isFocused: isFocused, on: surface)
                buffer.draw(field, in: rect)
            case .input(.text(let content, let placeholder), let isFocused):
                var field = TextField(content, placeholder: placeholder, isFocused: isFocused)
                field.ground = TextField.ground(isFocused: isFocused, on: surface)
                buffer.draw(field, in: rect)
            case .input(.choice(let options, let selected), let isFocused):
                let text = options.indices.contains(selected) ? options[selected] : ""
                let ground = TextField.ground(isFocused: isFocused, on: surface)
                buffer.draw(ChoiceField(text: text, hasOthers: options.count > 1, isFocused: isFocused, ground: ground), in: rect)
            case .input(.button, _): break
            }
        }
    }
}
