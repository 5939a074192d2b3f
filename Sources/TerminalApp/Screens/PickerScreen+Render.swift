import AuthModel
import TerminalAppModel
import TerminalUI

extension PickerScreen {
    func title(in model: AppModel) -> String { Words.purpose(purpose) }
    func status(in model: AppModel) -> String { PickerWords.found(matches.count) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let margin = area.columns >= 30 ? Document.margin : 0
        let inner = area.inset(columns: margin)
        let isLow = area.rows < 8
        let parts = inner.split(rows: [.cells(isLow ? 0 : 2), .cells(isLow ? 1 : 2), .rest])
        buffer.write(
            purpose == .signIn ? PickerWords.signInTitle : PickerWords.signUpTitle, in: parts[0], style: Style(.title, attributes: .bold))
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter).draw(in: parts[1], into: &buffer)
        let list = drawNothing(in: parts[2], into: &buffer)
        // The name matters most for the choice: a long one takes space from other columns.
        let longest = (matches.lazy.map { SafeText.width(of: $0.provider.name.text) }.max() ?? 0) + 2
        let name = max(12, min(24, longest))
        let kind = widest(14...16) { Words.kind($0.provider.kind) }
        let columns = [
            TableColumn("", minimum: name, share: 2, importance: 4),
            TableColumn("", minimum: name == 12 ? 20 : widest(12...18, Self.who), share: 2, importance: 3),
            TableColumn("", minimum: name == 12 ? 38 - kind : widest(18...22, \.provider.address), share: 2, importance: 2),
            TableColumn("", minimum: kind, importance: 1),
        ]
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: matches.count + 1, selected: selected, hasHeader: false) { index in
            guard index < matches.count else { return Self.new(isMarked: index == selected, glyphs) }
            let entry = matches[index]
            return [
                .spans([
                    ListTable.pointer(index == selected, glyphs),
                    TextLine.Span(entry.provider.name.text, Style(.text, attributes: index == selected ? .bold : [])),
                ]),
                .text(Self.who(entry), Style(entry.account == nil ? .muted : .text)),
                .text(entry.provider.address, Style(.muted)),
                .text(Words.kind(entry.provider.kind), Style(.muted)),
            ]
        }
        table.draw(in: list, into: &buffer)
    }

    /// Returns the width of the longest text of the entries, within bounds, so that no column takes space that another one needs.
    private func widest(_ bounds: ClosedRange<Int>, _ text: (HomeScreen.Entry) -> String) -> Int {
        let longest = matches.map { SafeText.width(of: text($0)) }.max() ?? 0
        return min(max(longest, bounds.lowerBound), bounds.upperBound)
    }

    /// Draws a message if no entry matches; returns the area left for the list.
    private func drawNothing(in area: Rect, into buffer: inout ScreenBuffer) -> Rect {
        guard matches.isEmpty, !filter.isEmpty, area.rows > 2 else { return area }
        buffer.write(Words.sentence(PickerWords.noMatches), in: area, style: Style(.warning))
        return area.splitTop(2).rest
    }

    /// Returns the row for adding a provider.
    private static func new(isMarked: Bool, _ glyphs: GlyphSet) -> [Table.Content] {
        [
            .across([
                ListTable.pointer(isMarked, glyphs),
                TextLine.Span(AddProviderWords.entry, Style(isMarked ? .text : .muted, attributes: isMarked ? .bold : [])),
            ])
        ]
    }

    private static func who(_ entry: HomeScreen.Entry) -> String {
        switch (entry.purpose, entry.account) {
        case (.signUp, _), (.recover, _): PickerWords.newAccount
        case (.signIn, let account?): PickerWords.account(account)
        case (.signIn, nil): entry.provider.accounts.isEmpty ? PickerWords.anybody : PickerWords.anotherAccount
        }
    }
}

/// An input line for a filter.
struct FilterLine {
    var content: TextFieldContent
    var placeholder: String
    var isFocused = true
    var surface = Surface.screen

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        let sign = "/ "
        buffer.write(sign, in: row, style: Style(.key, on: surface))
        buffer.draw(
            TextField(content, placeholder: placeholder, isFocused: isFocused), in: row.inset(left: sign.count, right: 0).leading(40))
    }
}

extension Rect {
    /// Returns at most the first `columns`.
    func leading(_ columns: Int) -> Rect { splitLeft(min(columns, self.columns)).left }
}
