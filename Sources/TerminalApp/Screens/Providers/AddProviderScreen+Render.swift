import AuthModel
import Localization
import TerminalUI

extension AddProviderScreen {
    func title(in model: AppModel) -> String { AddProviderWords.title }
    func status(in model: AppModel) -> String { phase == .searching ? plural(list.count, "{1} service", "{1} services") : "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let page = page(in: model, glyphs: buffer.glyphs)
        guard let parts = Self.parts(of: area, in: model) else {
            if phase == .searching { return list.draw(in: area, into: &buffer) }
            return page.document.draw(in: area, scroll: page.scroll, into: &buffer)
        }
        let services = Panel(tr("Services"), isFocused: phase == .searching)
        buffer.draw(services, in: parts.list)
        list.draw(in: services.content(of: parts.list), surface: services.surface, into: &buffer)
        let panel = Panel(page.title, isFocused: phase != .searching)
        buffer.draw(panel, in: parts.page)
        page.document.draw(in: panel.content(of: parts.page), scroll: page.scroll, surface: panel.surface, into: &buffer)
    }

    /// Returns the panels of a large screen: the services, and beside them what the selected one needs. Nil on a small screen, which shows
    /// one after the other.
    private static func parts(of area: Rect, in model: AppModel) -> (list: Rect, page: Rect)? {
        guard area.columns >= 100, area.rows >= 20, !model.isPlain else { return nil }
        let parts = area.split(columns: [.share(2), .share(3)])
        return (parts[0], parts[1])
    }

    /// Returns the size of the page that shows the form.
    static func pageSize(in model: AppModel) -> Size {
        let body = Frame.body(model.size)
        return parts(of: body, in: model).map { Panel().content(of: $0.page).size } ?? body.size
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
    let size: Size

    private(set) var document = Document()
    private(set) var scroll = 0
    /// The title of the page beside the services.
    private(set) var title = AddProviderWords.title

    private static let termWidth = 22
    /// The minimum number of rows for the introduction, and for the help below the form.
    private static let highRows = 12

    init(screen: AddProviderScreen, model: AppModel, glyphs: GlyphSet) {
        self.screen = screen
        self.model = model
        self.glyphs = glyphs
        size = AddProviderScreen.pageSize(in: model)
        document.hasMargin = size == Frame.bodySize(model.size)
        switch screen.phase {
        case .searching: if let form = screen.offeredForm { add(form, isActive: false) }
        case .filling: add(screen.fields, isActive: true)
        case .finding: addWaiting(tr("Looking up the provider."))
        case .choosing(let resource, let servers, let selected): addServers(of: resource, servers, selected: selected)
        case .confirming(let offer): add(offer)
        case .adding(let offer, _):
            addWaiting(
                offer.draft.client == .register ? tr("Registering a client and saving it in the configuration.") : AddProviderWords.adding)
        case .added: addWaiting(AddProviderWords.adding)
        }
    }

    private mutating func add(_ fields: ProviderForm, isActive: Bool) {
        let mode = fields.choice.flatMap(screen.list.distinction).map { " (\($0))" } ?? ""
        title = fields.choice.map { $0.title + mode } ?? tr("Provider by its address")
        if size.rows >= Self.highRows {
            if let choice = fields.choice {
                let name = document.hasMargin ? [Document.Span(title, .title, .bold), Document.Span(": ", .muted)] : []
                document.words(name + [Document.Span(name.isEmpty ? Words.capitalized(choice.summary) : choice.summary, .muted)])
            } else {
                document.words(tr("Enter the address of an issuer, or of a resource such as an MCP server."), .muted)
            }
            document.blank()
        }
        let focused = fields.form.add(to: &document, columns: size.columns, helpsBelow: size.rows >= Self.highRows, isActive: isActive)
        if let choice = fields.choice { addSteps(choice, fields) }
        scroll = screen.scroll > 0 ? screen.scroll : Document.scroll(to: focused, height: size.rows)
    }

    /// Adds how to register a client at the service, below the fields, which stay where they are.
    private mutating func addSteps(_ choice: ProviderPresetChoice, _ fields: ProviderForm) {
        let form = fields.form
        guard choice.client != .namedByProvider, !fields.registers, choice.page != nil || !choice.steps.isEmpty else { return }
        func filled(_ text: String) -> String {
            choice.filled(text, place: form[.address]?.text ?? "", page: form[.page]?.text ?? "")
        }
        document.blank()
        document.words([Document.Span(tr("Register a client:"), .title, .bold)])
        if let page = choice.page.map(filled) { document.verbatim(WebURL(page).map { .link($0) } ?? Document.Span(page, .link)) }
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
        let question = tr("{1} accepts tokens from these servers. Which one do you trust?", resource)
        document.words([Document.Span(question, .title, .bold)])
        document.words(tr("This list comes from the resource and is not verified. Continue only if you know the server."), .warning)
        document.blank()
        let first = document.rows(columns: size.columns).count
        for (index, server) in servers.enumerated() {
            let isMarked = index == selected
            document.choice([Document.Span(server, .text, isMarked ? .bold : [])], isChosen: isMarked, glyphs)
            document.mark(as: .row(index))
        }
        scroll = Document.scroll(to: first + selected..<first + selected + 1, height: size.rows)
    }

    private mutating func add(_ offer: ProviderOffer) {
        scroll = screen.scroll
        title = offer.name.text
        document.words([Document.Span(tr("Is this the right provider?"), .title, .bold)])
        document.blank()
        let width = Self.termWidth
        document.term(tr("local name"), [Document.Span(offer.name.text, .text, .bold)], width: width)
        if let issuer = offer.issuer { document.term(SessionWords.issuer, [Document.Span(issuer, .accent, .bold)], width: width) }
        if let resource = offer.resource { document.term(tr("for the resource"), resource, width: width) }
        for endpoint in offer.endpoints { document.term(AddProviderWords.endpoint(endpoint.purpose), endpoint.host, width: width) }
        document.term(tr("kind"), Words.kind(offer.kind), width: width)
        document.term(SessionWords.client, client(offer.draft.client), width: width)
        document.term(
            tr("asks for"), offer.scopes.isEmpty ? tr("nothing") : offer.scopes.joined(separator: " "), width: width)
        if !offer.abilities.isEmpty {
            document.term(tr("supports"), offer.abilities.map { $0.text() }.joined(separator: ", "), .muted, width: width)
        }
        document.blank()
        if offer.draft.client == .register {
            document.term(tr("redirect"), offer.redirects.joined(separator: ", "), width: width)
        } else {
            document.words(tr("Register this redirect URI with the provider:"))
            for redirect in offer.redirects { document.verbatim(Document.Span(redirect, .link)) }
        }
        if !offer.hints.isEmpty { document.blank() }
        for hint in offer.hints { document.words([Document.Span("! ", .warning), Document.Span(hint)], hanging: 2) }
        document.blank()
        document.button(Words.capitalized(AddProviderWords.keyAdd), isFocused: true)
        document.mark(as: .key(.enter))
    }

    private func client(_ client: ProviderDraft.Client) -> String {
        switch client {
        case .identifier(let text): text
        case .register: tr("new; registered when you confirm")
        case .namedByProvider: tr("set by the provider at each sign-in")
        }
    }
}

extension ServiceList {
    /// Draws the filter and the services. In a panel, the title is in its frame.
    func draw(in area: Rect, surface: Surface = .screen, into buffer: inout ScreenBuffer) {
        let isBoxed = surface != .screen
        let inner = area.inset(columns: !isBoxed && area.columns >= 30 ? Document.margin : 0)
        let isLow = area.rows < 8
        let parts = inner.split(rows: [.cells(isLow || isBoxed ? 0 : 2), .cells(isLow ? 1 : 2), .rest])
        buffer.write(tr("Which service?"), in: parts[0], style: Style(.title, attributes: .bold))
        FilterLine(content: filter, placeholder: tr("type its name, or an address"), surface: surface).draw(in: parts[1], into: &buffer)
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 24, share: 1, importance: 2), TableColumn("", minimum: 30, share: 2, importance: 1),
        ]
        var table = Table(columns: columns, count: rows.count, selected: selected, hasHeader: false) { index in
            let name = Style(.text, attributes: index == selected ? .bold : [])
            let pointer = Table.pointer(index == selected, glyphs)
            switch rows[index] {
            case .address(let text):
                return [
                    .across([
                        pointer,
                        TextLine.Span(text.isEmpty ? tr("Another service, by its address…") : tr("Use the address {1}", text), name),
                    ])
                ]
            case .service(let choice):
                let mode = distinction(of: choice).map { [TextLine.Span(" (\($0))", Style(.info))] } ?? []
                return [.spans([pointer, TextLine.Span(choice.title, name)] + mode), .text(choice.summary, Style(.muted))]
            }
        }
        table.surface = surface
        table.draw(in: parts[2], into: &buffer)
    }
}

/// The texts for adding a provider.
package enum AddProviderWords {
    package static var title: String { tr("Add a provider") }

    package static var place: String { tr("Place") }
    package static var provider: String { tr("Provider") }

    package static func placeHelp(_ what: String, _ example: String) -> String { tr("Enter {1}, such as {2}.", what, example) }
    package static var pageHelp: String {
        tr("The provider does not redirect to this machine. Enter an https page of your own; you paste its address when you sign in.")
    }
    package static var clientHelp: String {
        tr("Without one, Yett registers a new client. Many providers do not allow that and issue client IDs only manually.")
    }

    package static var noAddress: String { tr("the address is missing") }
    package static func missingAnswer(_ what: String) -> String { tr("enter {1}", what) }
    package static var noSecretFile: String { tr("the provider requires a client secret: enter the path of its file") }
    package static var notAnAddress: String { tr("not a valid address: write https://host or https://host/path") }
    package static var notProtected: String { tr("http is allowed only for this machine: write https") }
    package static var hasBlanks: String { tr("spaces are not allowed") }
    package static var noClientID: String { tr("the client ID is missing") }
    package static var badName: String { tr("use only letters, digits, '.', '_' and '-'") }
    package static func nameTaken(_ name: String) -> String { tr("a provider named {1} already exists", name) }

    package static var adding: String { tr("Saving it in the configuration.") }

    package static func endpoint(_ purpose: ProviderOffer.Endpoint.Purpose) -> String {
        switch purpose {
        case .signIn: tr("you sign in at")
        case .tokens: tr("tokens come from")
        case .registration: tr("registers clients at")
        }
    }

    package static var cannotAdd: String { tr("providers cannot be added from here: run yett providers add") }

    package static var keyAdd: String { tr("add and sign in") }
    package static var keyNew: String { tr("add provider") }
    package static var helpNew: String { tr("add a provider to the configuration") }
}

/// The texts of all forms.
package enum FormWords {
    package static var keyNext: String { tr("next field") }
    package static var emptyField: String { tr("the field is empty") }
}
