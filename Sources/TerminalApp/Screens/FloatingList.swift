import TerminalUI

/// The content of a floating box: a filter, and the list of what matches it.
struct FloatingList {
    let filter: TextFieldContent
    let placeholder: String
    /// The character before the filter.
    var prompt = "/"
    /// The least width of the column at the right.
    let rightColumns: Int
    let count: Int
    let selected: Int
    /// The text in place of an empty list.
    var emptyText = PickerWords.noMatches

    /// Returns the columns of a row's left cell beside the pointer.
    func leftColumns(in area: Rect, _ model: AppModel) -> Int {
        Self.inside(area, model).columns - Self.pointerColumns - Table.gap - rightColumns
    }

    private static let pointerColumns = 2

    /// Returns the area without the margin. In its box, the list is on the panel's surface, and has its margin.
    private static func inside(_ area: Rect, _ model: AppModel) -> Rect {
        area.inset(columns: !FloatingBox.hasSpace(in: model) && area.columns >= 30 ? Document.margin : 0)
    }

    /// Draws the list. `row` returns the two cells of a row.
    func draw(
        in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer, row: @escaping (Int, GlyphSet) -> [Table.Content]
    ) {
        let surface: Surface = FloatingBox.hasSpace(in: model) ? .panel : .screen
        let parts = Self.inside(area, model).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        FilterLine(content: filter, placeholder: placeholder, prompt: prompt, surface: surface).draw(in: parts[0], into: &buffer)
        guard count > 0 else {
            buffer.write(Words.sentence(emptyText), in: parts[1], style: Style(.warning, on: surface))
            return
        }
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 20, share: 1, importance: 3),
            TableColumn("", minimum: rightColumns, alignment: .right, importance: 2),
        ]
        var table = Table(columns: columns, count: count, selected: selected, hasHeader: false) { row($0, glyphs) }
        table.surface = surface
        table.draw(in: parts[1], into: &buffer)
    }
}

/// A screen with a list, whose rows can be clicked.
protocol ListScreen: Screen {
    /// The index of the selected row.
    var selected: Int { get set }
}

extension ListScreen {
    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(selectedRow: selected) }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        if case .row(let row) = element { selected = row }
        return .none
    }
}

/// A screen with a list and a filter: after a change of the filter, the first match is selected.
protocol FilteredScreen: ListScreen {
    /// The filter's text.
    var filter: TextFieldContent { get set }
    /// Finds the rows that match the filter.
    mutating func match(in model: AppModel)
}

extension FilteredScreen {
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        let before = filter.text
        filter.type(input)
        if filter.text != before {
            selected = 0
            match(in: model)
        }
        return .none
    }
}

/// A screen that is one text: a card where there is space for cards.
protocol TextScreen: Screen {
    /// The first visible line.
    var scroll: Int { get }
    /// Returns the text.
    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document
}

extension TextScreen {
    var scroll: Int { 0 }

    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(box: card(in: model)) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        page(in: model, buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    func card(in model: AppModel) -> FloatingBox.Content { .card(page(in: model, .unicode), in: model) }

    /// Returns the number of scroll positions of the card.
    func scrollPositions(in model: AppModel) -> Int {
        page(in: model, .unicode).scrollPositions(in: FloatingBox.cardSize(in: model))
    }
}

/// A text with the letters highlighted that match a typed pattern.
enum MatchedText {
    /// Returns the text's spans; one span if nothing is typed or the pattern does not match.
    static func spans(_ text: String, _ pattern: String, _ style: Style) -> [TextLine.Span] {
        guard !pattern.isEmpty, let match = FuzzyMatch(pattern, in: text) else { return [TextLine.Span(text, style)] }
        let positions = Set(match.positions)
        var spans: [TextLine.Span] = []
        var wasMatched: Bool?
        for (index, character) in text.enumerated() {
            let isMatched = positions.contains(index)
            if wasMatched == isMatched, let last = spans.popLast() {
                spans.append(TextLine.Span(last.text + String(character), last.style))
            } else {
                spans.append(TextLine.Span(String(character), isMatched ? Style(.accent, attributes: .bold) : style))
            }
            wasMatched = isMatched
        }
        return spans
    }
}

/// An input line for a filter.
struct FilterLine {
    var content: TextFieldContent
    var placeholder: String
    var prompt = "/"
    var isFocused = true
    var surface = Surface.screen

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        buffer.write(prompt, in: row, style: Style(.key, on: surface))
        buffer.draw(TextField(content, placeholder: placeholder, isFocused: isFocused), in: row.inset(left: 2, right: 0).leading(40))
    }
}

extension Rect {
    /// Returns at most the first `columns`.
    func leading(_ columns: Int) -> Rect { splitLeft(min(columns, self.columns)).left }
}
