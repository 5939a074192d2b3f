import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension HomeScreen {
    func title(in model: AppModel) -> String { HomeWords.title }
    func status(in model: AppModel) -> String {
        if model.isLocked { return LockWords.isLocked }
        // The gate picture already contains the motto.
        return Self.parts(of: Frame.body(model.size), in: model).gate.isEmpty ? Words.motto : ""
    }

    /// Returns the areas of the guest banner, the gate picture and the entries; the first two are empty if they are not shown.
    private static func parts(of area: Rect, in model: AppModel) -> (banner: Rect, gate: Rect, rest: Rect) {
        let (banner, body) = area.splitTop(model.guest == nil ? 0 : 2)
        let hasSpace = body.rows >= 16 && body.columns >= 60
        let (gate, rest) = body.splitTop(hasSpace ? GatePicture.rows + 1 : 0)
        return (banner, gate, rest)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let (banner, gate, area) = Self.parts(of: area, in: model)
        if let guest = model.guest { GuestBanner(guest.name, in: model).draw(in: banner, into: &buffer) }
        buffer.draw(GatePicture(), in: gate)
        guard model.providers != nil else {
            var page = Document()
            if model.hasLoadFailure {
                page.words(Words.sentence(HomeWords.notRead), .warning)
            } else {
                page.words(HomeWords.loading, .muted)
            }
            return page.draw(in: area, into: &buffer)
        }
        drawEntries(in: area, model, into: &buffer)
    }

    private func drawEntries(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let entries = Self.entries(in: model)
        let isNarrow = area.columns < 36
        let columns =
            isNarrow
            ? [TableColumn("", minimum: 1, share: 1)]
            : [
                TableColumn("", minimum: max(12, min(24, Self.longestName(in: model))), share: 1, importance: 3),
                TableColumn("", minimum: max(18, min(46, Self.longestLabel(in: model))), share: 2, importance: 4),
                TableColumn("", minimum: 14, share: 3, importance: 1),
            ]
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: entries.count, selected: selected, hasHeader: false) { index in
            let entry = entries[index]
            let pointer = ListTable.pointer(index == selected, glyphs)
            let bold: Attributes = index == selected ? .bold : []
            guard !isNarrow else {
                return [.spans([pointer, TextLine.Span(SigningInWords.title(entry.request), Style(attributes: bold))])]
            }
            let isFirst = index == 0 || entries[index - 1].provider.name != entry.provider.name
            return [
                .spans([pointer, TextLine.Span(entry.provider.name.text, Style(isFirst ? .text : .muted, attributes: bold))]),
                .text(HomeWords.entry(entry), Style(entry.purpose == .signIn ? .text : .muted, attributes: bold)),
                .text(isFirst ? entry.provider.address : "", Style(.muted)),
            ]
        }
        // On a very wide screen, the three columns would be too far apart to read as one line.
        let place = area.inset(right: max(0, area.columns - Self.maximumColumns))
        table.draw(in: place.inset(columns: place.columns >= 60 ? Document.margin : 0), into: &buffer)
    }

    private static let maximumColumns = 120

    /// Returns the width of the longest name, with the pointer before it.
    private static func longestName(in model: AppModel) -> Int {
        ((model.providers ?? []).lazy.map { SafeText.width(of: $0.name.text) }.max() ?? 0) + 2
    }

    /// Returns the width of the longest label that a provider defines, because a cut label is not understandable.
    private static func longestLabel(in model: AppModel) -> Int {
        (model.providers ?? []).lazy.flatMap { [$0.labels.signIn, $0.labels.signUp] }.compactMap(\.self).map(SafeText.width).max() ?? 0
    }
}

/// A banner that asks a guest to sign in.
struct GuestBanner {
    let text: String

    init(_ name: SessionName, in model: AppModel) {
        text = HomeWords.guest(name, prompt: model.provider(name.provider)?.labels.guestPrompt)
    }

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        guard !row.isEmpty else { return }
        let style = Style(.info, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(text, in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }
}

extension HomeWords {
    static func entry(_ entry: HomeScreen.Entry) -> String {
        switch (entry.purpose, entry.account) {
        case (.signIn, let account?): tr("Sign in as {1}", account)
        case (.signIn, nil) where !entry.provider.accounts.isEmpty: tr("Sign in as another user")
        case (.signIn, nil): entry.provider.labels.signIn ?? tr("Sign in")
        case (.signUp, _), (.recover, _): entry.provider.labels.signUp ?? tr("Sign up")
        }
    }
}
