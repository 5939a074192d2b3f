import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension AddProviderScreen {
    func title(in model: AppModel) -> String { AddProviderWords.title }
    func status(in model: AppModel) -> String { phase == .searching ? AddProviderWords.found(list.count) : "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if phase == .searching { return list.draw(in: area, into: &buffer) }
        let page = page(in: model, glyphs: buffer.glyphs)
        page.document.draw(in: area, scroll: page.scroll, into: &buffer)
    }

    func page(in model: AppModel, glyphs: GlyphSet = .unicode) -> AddProviderPage {
        AddProviderPage(screen: self, model: model, glyphs: glyphs)
    }
}

/// The screen as a document, with its scroll position.
struct AddProviderPage {
    let screen: AddProviderScreen
    let model: AppModel
    let glyphs: GlyphSet

    private(set) var document = Document()
    private(set) var scroll = 0

    private static let termWidth = 22
    /// The minimum number of rows for the introduction, and for the help below the form.
    private static let highRows = 12

    init(screen: AddProviderScreen, model: AppModel, glyphs: GlyphSet) {
        self.screen = screen
        self.model = model
        self.glyphs = glyphs
        switch screen.phase {
        case .searching: break
        case .filling: addForm()
        case .finding: addWaiting(AddProviderWords.finding)
        case .choosing(let resource, let servers, let selected): addServers(of: resource, servers, selected: selected)
        case .confirming(let offer): add(offer)
        case .adding(let offer, _):
            addWaiting(offer.draft.client == .register ? AddProviderWords.registering : AddProviderWords.adding)
        }
    }

    private mutating func addForm() {
        let size = Frame.bodySize(model.size)
        let choice = screen.fields.choice
        if size.rows >= Self.highRows {
            if let choice {
                document.words([Document.Span(choice.title, .title, .bold), Document.Span(": \(choice.summary)", .muted)])
            } else {
                document.words(AddProviderWords.intro, .muted)
            }
            document.blank()
        }
        let focused = screen.fields.form.add(to: &document, columns: size.columns, helpsBelow: size.rows >= Self.highRows)
        if let choice { addSteps(choice) }
        scroll = screen.scroll > 0 ? screen.scroll : Document.scroll(to: focused, height: size.rows)
    }

    /// Adds how to register a client at the service, below the fields, which stay where they are.
    private mutating func addSteps(_ choice: ProviderPresetChoice) {
        let form = screen.fields.form
        guard choice.client != .namedByProvider, !screen.fields.registers, choice.page != nil || !choice.steps.isEmpty else { return }
        func filled(_ text: String) -> String {
            choice.filled(text, place: form[.address]?.text ?? "", page: form[.page]?.text ?? "")
        }
        document.blank()
        document.words([Document.Span(AddProviderWords.registerClient, .title, .bold)])
        if let page = choice.page { document.verbatim(filled(page), Style(.link)) }
        for (index, step) in choice.steps.enumerated() {
            let number = "\(index + 1). "
            document.words([Document.Span(number, .muted), Document.Span(filled(step))], hanging: number.count)
        }
    }

    private mutating func addWaiting(_ text: String) {
        let frame = Spinner.frame(at: model.now.milliseconds, glyphs: glyphs)
        document.words([Document.Span(frame + " ", .accent), Document.Span(text, .title, .bold)])
    }

    private mutating func addServers(of resource: String, _ servers: [String], selected: Int) {
        document.words([Document.Span(AddProviderWords.whichServer(resource), .title, .bold)])
        document.words(AddProviderWords.serverWarning, .warning)
        document.blank()
        let first = document.rows(columns: model.size.columns).count
        for (index, server) in servers.enumerated() {
            let isMarked = index == selected
            document.row(
                Document.Span(isMarked ? glyphs.pointer + " " : "  ", .accent),
                Document.Span(server, isMarked ? .accent : .text, isMarked ? .bold : []))
            document.mark(as: .row(index))
        }
        scroll = Document.scroll(to: first + selected..<first + selected + 1, height: Frame.bodySize(model.size).rows)
    }

    private mutating func add(_ offer: ProviderOffer) {
        scroll = screen.scroll
        document.words([Document.Span(AddProviderWords.confirm, .title, .bold)])
        document.blank()
        let width = Self.termWidth
        document.term(AddProviderWords.nameHere, [Document.Span(offer.name.text, .text, .bold)], width: width)
        if let issuer = offer.issuer { document.term(AddProviderWords.issuer, [Document.Span(issuer, .accent, .bold)], width: width) }
        if let resource = offer.resource { document.term(AddProviderWords.resource, resource, width: width) }
        for endpoint in offer.endpoints { document.term(AddProviderWords.endpoint(endpoint.purpose), endpoint.host, width: width) }
        document.term(AddProviderWords.kind, Words.kind(offer.kind), width: width)
        document.term(SessionWords.client, client(offer.draft.client), width: width)
        document.term(
            AddProviderWords.asksFor, offer.scopes.isEmpty ? AddProviderWords.nothing : offer.scopes.joined(separator: " "), width: width)
        if !offer.abilities.isEmpty {
            document.term(AddProviderWords.offers, offer.abilities.map { $0.text() }.joined(separator: ", "), .muted, width: width)
        }
        document.blank()
        if offer.draft.client == .register {
            document.term(AddProviderWords.redirect, offer.redirects.joined(separator: ", "), width: width)
        } else {
            document.words(AddProviderWords.registerRedirect)
            for redirect in offer.redirects { document.verbatim(redirect, Style(.link)) }
        }
        if !offer.hints.isEmpty { document.blank() }
        for hint in offer.hints { document.words([Document.Span("! ", .warning), Document.Span(hint)], hanging: 2) }
    }

    private func client(_ client: ProviderDraft.Client) -> String {
        switch client {
        case .identifier(let text): text
        case .register: AddProviderWords.willRegister
        case .namedByProvider: AddProviderWords.namesClient
        }
    }
}

extension ServiceList {
    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let inner = area.inset(columns: area.columns >= 30 ? Document.margin : 0)
        let isLow = area.rows < 8
        let parts = inner.split(rows: [.cells(isLow ? 0 : 2), .cells(isLow ? 1 : 2), .rest])
        buffer.write(AddProviderWords.whichService, in: parts[0], style: Style(.title, attributes: .bold))
        FilterLine(content: filter, placeholder: AddProviderWords.typeService).draw(in: parts[1], into: &buffer)
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 24, share: 1, importance: 2), TableColumn("", minimum: 30, share: 2, importance: 1),
        ]
        let table = ListTable(columns: columns, count: rows.count, selected: selected, hasHeader: false) { index in
            let name = Style(.text, attributes: index == selected ? .bold : [])
            let pointer = ListTable.pointer(index == selected, glyphs)
            switch rows[index] {
            case .address(let text):
                return [
                    .across([
                        pointer, TextLine.Span(text.isEmpty ? AddProviderWords.otherAddress : AddProviderWords.useAddress(text), name),
                    ])
                ]
            case .service(let choice):
                return [.spans([pointer, TextLine.Span(choice.title, name)]), .text(choice.summary, Style(.muted))]
            }
        }
        table.draw(in: parts[2], into: &buffer)
    }
}
