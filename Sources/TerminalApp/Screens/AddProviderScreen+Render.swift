import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension AddProviderScreen {
    func title(in model: AppModel) -> String { AddProviderWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
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
        if size.rows >= Self.highRows {
            document.words(AddProviderWords.intro, .muted)
            document.blank()
        }
        let focused = screen.form.add(to: &document, columns: size.columns, helpsBelow: size.rows >= Self.highRows)
        scroll = Document.scroll(to: focused, height: size.rows)
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
        for hint in offer.hints { document.words([Document.Span("! ", .warning), Document.Span(Words.sentence(hint))], hanging: 2) }
    }

    private func client(_ client: ProviderDraft.Client) -> String {
        switch client {
        case .identifier(let text): text
        case .register: AddProviderWords.willRegister
        case .namedByProvider: AddProviderWords.namesClient
        }
    }
}
