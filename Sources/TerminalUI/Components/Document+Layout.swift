extension Document {
    /// A screen row: runs of glyphs, each with its column.
    package struct Row: Equatable, Sendable {
        struct Run: Equatable, Sendable {
            var column: Int
            var glyphs: [Glyph]
            var style: Style
            var link: LinkAddress?
        }

        var runs: [Run] = []
        /// An element that is not text.
        var figure: Figure?
        /// The meaning of a click on the row.
        var target: ScreenTarget.Meaning?
        /// The columns with the ground of a selected row; nil for another row.
        var ground: Range<Int>?

        struct Figure: Equatable, Sendable {
            var column: Int
            var columns: Int
            var content: Content

            enum Content: Equatable, Sendable {
                case bar(Bar)
                case input(FieldContent, isFocused: Bool)
            }
        }
    }

    /// Returns the rows for a width.
    package func rows(columns: Int) -> [Row] {
        let margin = hasMargin && columns >= 30 ? Self.margin : 0
        let width = max(1, columns - 2 * margin)
        return blocks.enumerated().flatMap { index, block -> [Row] in
            var block = block
            if isInCard, case .verbatim(let span) = block, SafeText.width(of: span.text) <= width { block = .row([span], indent: 0) }
            let rows = Self.rows(block, margin: margin, width: width, columns: columns, cutsTerms: cutsTerms)
            let (target, isChosen) = (targets[index], chosen.contains(index))
            guard target != nil || isChosen else { return rows }
            return rows.map { row in
                var row = row
                row.target = target
                if isChosen { row.ground = margin..<margin + width }
                return row
            }
        }
    }

    private static func rows(_ block: Block, margin: Int, width: Int, columns: Int, cutsTerms: Bool) -> [Row] {
        switch block {
        case .blank: return [Row()]
        case .words(let spans, let indent, let hanging):
            let indent = Self.bounded(indent, width)
            return Self.wrap(spans, first: margin + indent, rest: margin + Self.bounded(indent + hanging, width), end: margin + width)
        case .row(let spans, let indent):
            return [Self.cut(spans, column: margin + Self.bounded(indent, width), end: margin + width)]
        case .timed(let spans, let time, let column): return [Self.timed(spans, time, column, left: margin, end: margin + width)]
        case .verbatim(let span): return Self.cutToRows(span, columns: max(1, columns))
        case .bar(let bar, let words): return Self.bar(bar, words, column: margin, width: width)
        case .field(let field, let isFocused):
            return [Row(figure: Row.Figure(column: margin, columns: min(width, 60), content: .input(.secret(field), isFocused: isFocused)))]
        case .input(let label, let input, let labelWidth, let isFocused, let group, let groupWidth):
            guard groupWidth > 0, width >= groupWidth + labelWidth + Self.leastField else {
                return Self.input(label, input, labelWidth, isFocused: isFocused, column: margin, width: width)
            }
            var rows = Self.input(label, input, labelWidth, isFocused: isFocused, column: margin + groupWidth, width: width - groupWidth)
            rows[0].runs += cut([Span(group, .title, .bold)], column: margin, end: margin + groupWidth - 1).runs
            return rows
        case .term(let name, let spans, let termWidth, let role):
            let label = Span(name, role)
            guard cutsTerms, width >= termWidth + Self.leastValue else {
                return Self.term(label, spans, termWidth, column: margin, width: width)
            }
            var row = cut([label], column: margin, end: margin + termWidth - 1)
            row.runs += cut(spans, column: margin + termWidth, end: margin + width).runs
            return [row]
        }
    }

    /// Returns the indent, at most a third of the width.
    private static func bounded(_ indent: Int, _ width: Int) -> Int { max(0, min(indent, width / 3)) }

    private static func bar(_ bar: Bar, _ words: Span, column: Int, width: Int) -> [Row] {
        let text = SafeText.glyphs(words.text)
        let free = min(40, width - text.width - 2)
        guard free >= 6 else { return wrap([words], first: column, rest: column, end: column + width) }
        var row = Row(runs: [Row.Run(column: column + free + 2, glyphs: text, style: words.style)])
        row.figure = Row.Figure(column: column, columns: free, content: .bar(bar))
        return [row]
    }

    /// The minimum width of a field beside its label and the title of its group.
    private static let leastField = 24
    /// The minimum width of a term's value beside the term.
    private static let leastValue = 16

    private static func term(_ label: Span, _ spans: [Span], _ termWidth: Int, column: Int, width: Int) -> [Row] {
        // Too narrow for two columns: the term is above its value.
        guard width >= termWidth + leastValue else {
            return [cut([label], column: column, end: column + width)]
                + wrap(spans, first: column + bounded(2, width), rest: column + bounded(2, width), end: column + width)
        }
        var rows = wrap(spans, first: column + termWidth, rest: column + termWidth, end: column + width)
        if rows.isEmpty { rows = [Row()] }
        rows[0].runs.insert(contentsOf: cut([label], column: column, end: column + termWidth - 1).runs, at: 0)
        return rows
    }

    /// Returns the label and its field in one row, or in two if the width is too small.
    private static func input(
        _ label: String, _ input: FieldContent, _ labelWidth: Int, isFocused: Bool, column: Int, width: Int
    ) -> [Row] {
        let span = Span(label, isFocused ? .accent : .muted, isFocused ? .bold : [])
        func figure(_ column: Int, _ columns: Int) -> Row.Figure {
            Row.Figure(column: column, columns: min(columns, 60), content: .input(input, isFocused: isFocused))
        }
        guard width >= labelWidth + 16 else {
            return [cut([span], column: column, end: column + width), Row(figure: figure(column, width))]
        }
        var row = cut([span], column: column, end: column + labelWidth - 1)
        row.figure = figure(column + labelWidth, width - labelWidth)
        return [row]
    }

    private static func timed(_ spans: [Span], _ time: Span, _ wanted: Int, left: Int, end: Int) -> Row {
        let glyphs = SafeText.glyphs(time.text)
        let column = max(left, min(left + wanted, end) - glyphs.width)
        var row = cut(spans, column: left, end: column - 1)
        row.runs.append(Row.Run(column: column, glyphs: glyphs, style: time.style))
        return row
    }

    private static func cut(_ spans: [Span], column: Int, end: Int) -> Row {
        var row = Row()
        var column = column
        for span in spans where column < end {
            let fitted = FittedText(span.text, columns: end - column)
            row.runs.append(Row.Run(column: column, glyphs: fitted.glyphs, style: span.style, link: span.link))
            column += fitted.width
        }
        return row
    }

    /// Cuts text into rows of the full width, without changing it.
    private static func cutToRows(_ span: Span, columns: Int) -> [Row] {
        var rows: [Row] = []
        var line: [Glyph] = []
        var width = 0
        for glyph in SafeText.glyphs(span.text) {
            if width + glyph.width > columns, !line.isEmpty {
                rows.append(Row(runs: [Row.Run(column: 0, glyphs: line, style: span.style, link: span.link)]))
                (line, width) = ([], 0)
            }
            line.append(glyph)
            width += glyph.width
        }
        if !line.isEmpty { rows.append(Row(runs: [Row.Run(column: 0, glyphs: line, style: span.style, link: span.link)])) }
        return rows
    }

    /// Wraps at spaces; a word longer than a row is broken at the end of the row.
    private static func wrap(_ spans: [Span], first: Int, rest: Int, end: Int) -> [Row] {
        var rows: [Row] = []
        var row = Row()
        var column = first
        func breakRow() {
            rows.append(row)
            row = Row()
            column = rest
        }
        for span in spans {
            let pieces = SafeText.glyphs(span.text).split(separator: .space, omittingEmptySubsequences: false)
            for (index, word) in pieces.enumerated() {
                let start = row.runs.isEmpty ? column : column + (index > 0 ? 1 : 0)
                var word = Array(word)
                if start + word.width <= end {
                    column = start
                } else if !row.runs.isEmpty {
                    breakRow()
                }
                while column + word.width > end, end > column {
                    let head = word.prefix(columns: end - column)
                    guard !head.isEmpty, head.count < word.count else { break }
                    row.runs.append(Row.Run(column: column, glyphs: head, style: span.style, link: span.link))
                    word.removeFirst(head.count)
                    breakRow()
                }
                guard !word.isEmpty else { continue }
                row.runs.append(Row.Run(column: column, glyphs: word, style: span.style, link: span.link))
                column += word.width
            }
        }
        if !row.runs.isEmpty || rows.isEmpty { rows.append(row) }
        return rows
    }
}
