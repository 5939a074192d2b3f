import AuthModel
import Localization
import TerminalUI

extension SettingsScreen {
    func title(in model: AppModel) -> String { SettingsWords.title }

    func status(in model: AppModel) -> String {
        guard phase != .browsing, let setting = selection(in: model) else { return "" }
        return SettingsWords.name(setting.id)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard let row = selectedRow(in: model) else {
            var page = Document()
            page.words(Words.sentence(SettingsWords.nothingHere), .muted)
            return page.draw(in: area, into: &buffer)
        }
        guard area.columns < 120 else { return drawWide(row, in: area, model, into: &buffer) }
        if phase != .browsing, let setting = selection(in: model) { return drawChange(of: setting, in: area, model, into: &buffer) }
        let page = meaning(of: row, in: model, buffer.glyphs)
        let needed = min(page.rows(columns: area.columns).count + 1, area.rows / 2)
        let (top, bottom) = area.splitBottom(area.rows >= 8 ? needed : 0)
        drawList(in: top, model, into: &buffer)
        page.draw(in: bottom.inset(top: 1), into: &buffer)
    }

    /// Draws the list, with the open change beside it.
    private func drawWide(_ row: Row, in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        // No value is cut while the panel has more space than it needs.
        let values = Self.settings(in: model).reduce(0) { max($0, SafeText.width(of: SettingsWords.value($1))) }
        let needed = Self.columns(of: Self.settings(in: model)).reduce(values + 4) { $0 + $1.minimum + 1 }
        let list = max(area.columns / 2, min(needed + 4, area.columns - Self.panelColumns))
        let parts = area.split(columns: [.cells(list), .rest])
        let frame = Panel(SettingsWords.title, surface: .screen, isFocused: phase == .browsing)
        buffer.draw(frame, in: parts[0])
        drawList(in: frame.content(of: parts[0]), isBoxed: true, model, into: &buffer)
        let setting = selection(in: model)
        let panel = Panel(row.title, surface: .screen, isFocused: phase != .browsing)
        buffer.draw(panel, in: parts[1])
        let inside = panel.content(of: parts[1])
        if phase != .browsing, let setting { return drawChange(of: setting, in: inside, isBoxed: true, model, into: &buffer) }
        var page = meaning(of: row, in: model, buffer.glyphs)
        page.hasMargin = false
        // What Enter offers, so that a glance is enough.
        if let setting, !setting.options.isEmpty {
            page.blank()
            _ = addOptions(of: setting, selected: nil, columns: inside.columns, to: &page, buffer.glyphs)
            if setting.id == .theme { addSample(to: &page, model, buffer.glyphs) }
        }
        page.draw(in: inside, into: &buffer)
    }

    private func meaning(of row: Row, in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        switch row {
        case .provider(_, let settings):
            page.words(tr("Which programs get the tokens of this provider's sessions, and how its pages open."))
            let width = settings.reduce(0) { max($0, SafeText.width(of: SettingsWords.name($1.id))) } + 2
            for setting in settings {
                page.term(SettingsWords.name(setting.id), SettingsWords.value(setting), setting.isSet ? .accent : .text, width: width)
            }
        case .setting(let setting):
            page.words(SettingsWords.meaning(setting.id))
            if setting.id == .seal {
                for sentence in StoreKeyWords.sentences(model.seal) { page.words(sentence) }
            }
            let isDefault = Words.sentence(SettingsWords.isDefault)
            page.words([
                Document.Span(setting.isSet ? glyphs.disc + " " : "", .accent),
                Document.Span(setting.isSet ? tr("Changed from the default. Press d to put the default back.") : isDefault, .muted),
            ])
        }
        if let file = model.settings?.file {
            page.words(tr("Saved in {1}. For more settings, edit it; see yett help configuration.", file), .muted)
        }
        return page
    }

    /// The columns of a mark, and of the pointer, with the space after it.
    private static let markColumns = 2
    /// The minimum width for columns; with fewer, a setting's value follows its name.
    private static let minimumColumns = 54

    /// The minimum width of the panel beside the list.
    private static let panelColumns = 44

    /// Returns the columns of the sections and the names.
    private static func columns(of settings: [Setting]) -> [TableColumn] {
        // The mark of a changed value is before its name.
        let names = settings.reduce(18) { longest, setting in
            let provider = SafeText.width(of: setting.id.provider?.text ?? "")
            return max(longest, max(provider, SafeText.width(of: Row.setting(setting).name)) + markColumns)
        }
        let sections = settings.reduce(10) { max($0, SafeText.width(of: SettingsWords.section($1.id)) + markColumns) }
        return [
            TableColumn("", minimum: min(sections, 16), importance: 1), TableColumn("", minimum: min(names, 28), importance: 2),
        ]
    }

    private func drawList(in area: Rect, isBoxed: Bool = false, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let rows = rows(in: model)
        let columns = Self.columns(of: Self.settings(in: model)) + [TableColumn("", minimum: 14, share: 1, importance: 3)]
        let isNarrow = area.columns < Self.minimumColumns
        let glyphs = buffer.glyphs
        let isSelectable = phase == .browsing
        let table = ListTable(
            columns: isNarrow ? [TableColumn("", minimum: 1, share: 1)] : columns, count: rows.count, selected: selected,
            hasHeader: false,
            isClickable: isSelectable
        ) { index in
            let isMarked = index == selected
            let pointer = ListTable.pointer(isMarked && isSelectable, glyphs)
            let bold: Attributes = isMarked ? .bold : []
            let row = rows[index]
            let isSet = !row.changed.isEmpty
            let mark = TextLine.Span(isSet ? glyphs.disc + " " : "  ", Style(.accent))
            let text = row.value(opened: opened, glyphs)
            let value = TextLine.Span(text, Style(isSet ? .accent : .text, attributes: bold))
            let name = TextLine.Span(row.name, Style(isSet ? .text : .muted, attributes: bold))
            if isNarrow { return [.spans([pointer, mark, name, TextLine.Span("  "), value])] }
            let isFirst = index == 0 || rows[index - 1].section != row.section
            return [
                .spans([pointer, TextLine.Span(isFirst ? row.section : "", Style(.title, attributes: bold))]), .spans([mark, name]),
                .spans([value]),
            ]
        }
        table.draw(in: area.inset(columns: isNarrow || isBoxed ? 0 : 1), into: &buffer)
    }

    /// Adds the options of a setting with their meanings and a mark at the current one, and returns the rows of the selected one.
    ///
    /// - Parameter selected: the index of the option with the pointer; `nil` for a list without a pointer.
    private func addOptions(
        of setting: Setting, selected: Int?, columns: Int, to page: inout Document, _ glyphs: GlyphSet
    ) -> Range<Int> {
        var focused = 0..<0
        let width = setting.options.reduce(0) { max($0, SafeText.width(of: SettingsWords.option($1, of: setting.id))) } + 6
        for (index, word) in setting.options.enumerated() {
            let isMarked = index == selected
            let first = page.rows(columns: columns).count
            let (pointer, option) = (isMarked ? glyphs.pointer + " " : "  ", SettingsWords.option(word, of: setting.id))
            let mark = setting.value == .word(word) ? " " + glyphs.check : ""
            let meaning = SettingsWords.optionMeaning(word, of: setting.id)
            let role: Role = isMarked ? .accent : selected == nil ? .muted : .text
            if meaning.isEmpty {
                page.row(
                    Document.Span(pointer, .accent), Document.Span(option, role, isMarked ? .bold : []), Document.Span(mark, .success))
            } else {
                page.term(pointer + option + mark, [Document.Span(meaning, .muted)], width: width, as: role)
            }
            if selected != nil { page.mark(as: .row(index)) }
            if isMarked { focused = first..<page.rows(columns: columns).count }
        }
        return focused
    }

    /// Draws the open choice or field.
    private func drawChange(
        of setting: Setting, in area: Rect, isBoxed: Bool = false, _ model: AppModel, into buffer: inout ScreenBuffer
    ) {
        var page = Document()
        page.hasMargin = !isBoxed
        var focused = 0..<0
        if area.rows >= 8 {
            page.words(SettingsWords.meaning(setting.id), .muted)
            page.blank()
        }
        switch phase {
        case .browsing: return
        case .choosing(let id, let selected):
            focused = addOptions(of: setting, selected: selected, columns: area.columns, to: &page, buffer.glyphs)
            if id == .theme { addSample(to: &page, model, buffer.glyphs) }
        case .typing(_, let content, let problem):
            page.input(
                SettingsWords.name(setting.id), .text(content, placeholder: placeholder(of: setting)),
                labelWidth: SafeText.width(of: SettingsWords.name(setting.id)) + 3, isFocused: true)
            focused = page.rows(columns: area.columns).count - 1..<page.rows(columns: area.columns).count
            if let problem {
                page.words(Words.sentence(problem), .danger)
            } else if setting.isSpan {
                page.words(Words.sentence(tr("enter 90 s, 15 min, 2 h or 7 d; empty means never")), .muted)
            }
        }
        page.draw(in: area, scroll: Document.scroll(to: focused, height: area.rows), into: &buffer)
    }

    private func placeholder(of setting: Setting) -> String { setting.isSpan ? SettingsWords.never : SettingsWords.defaultBrowser }

    /// Adds a sample of styles, to preview the selected theme.
    private func addSample(to page: inout Document, _ model: AppModel, _ glyphs: GlyphSet) {
        page.blank()
        for state in [SessionState.signedIn, .expiring, .needsSignIn, .guest] {
            page.words([
                Document.Span("\(Words.glyph(state, glyphs)) \(Words.state(state))", Words.role(state), .bold),
                Document.Span("  " + Words.meaning(state), .muted),
            ])
        }
        page.bar(0.6, Words.relative(model.now + .seconds(1560), to: model.now), .success, bar: .barFilled)
    }
}

extension Setting {
    fileprivate var isSpan: Bool {
        if case .span = value { true } else { false }
    }
}

/// The texts of the settings.
package enum SettingsWords {
    package static var title: String { tr("Settings") }
    package static var key: String { tr("settings") }
    package static var keyKeep: String { tr("save") }
    package static var keyLeave: String { tr("cancel") }

    package static var isSaving: String { tr("the previous change is still being saved") }
    package static var nothingHere: String { tr("there are no settings here") }
    package static var isDefault: String { tr("this is the default") }
    package static var providers: String { tr("Providers") }
    package static var isProvider: String { tr("select one of the provider's settings: press Enter to list them") }
    package static var cannotChange: String { tr("settings cannot be changed from here") }

    package static var on: String { tr("on") }
    package static var off: String { tr("off") }
    package static var never: String { tr("never") }
    package static var defaultBrowser: String { tr("from BROWSER or the desktop") }

    package static func section(_ id: Setting.ID) -> String {
        switch id {
        case .theme, .language, .guestPrompt, .mouse, .motion: tr("Appearance")
        case .seal: tr("Store")
        case .lockAfter, .idleExit, .notify, .blockedProgram: tr("Agent")
        case .browser, .isPrivate, .policy: providers
        }
    }

    package static func name(_ id: Setting.ID) -> String {
        switch id {
        case .theme: tr("Theme")
        case .language: tr("Language")
        case .guestPrompt: tr("Guest prompt")
        case .mouse: tr("Mouse")
        case .motion: tr("Motion")
        case .seal: tr("Seal")
        case .lockAfter: tr("Lock after")
        case .idleExit: tr("Stop when idle for")
        case .notify: tr("Notifications")
        case .blockedProgram(let path): tr("Block {1}", CallingProgram(path: path).name)
        case .browser: tr("Browser")
        case .isPrivate: tr("Private window")
        case .policy: tr("Token access")
        }
    }

    package static func meaning(_ id: Setting.ID) -> String {
        switch id {
        case .theme:
            tr(
                "The app's colours. Select a theme to preview it. Put your own themes in the themes folder next to config.toml."
            )
        case .language: tr("The language of the app.")
        case .guestPrompt: tr("Whether guests are asked to sign in.")
        case .mouse: tr("Whether the app uses clicks and the wheel. To select text, hold Shift, or turn this off.")
        case .motion: tr("How much on the screen moves. Over SSH and without colours, the default is reduced.")
        case .seal: tr("Where the store's key is kept. Applies only to a new store; for yours, run: yett seal")
        case .lockAfter:
            tr("The agent locks the store after this time without a request that needs its keys. Takes effect when the agent next starts.")
        case .idleExit:
            tr(
                "The agent stops after this time without a request, a sign-in or a connected watcher. Takes effect when the agent next starts."
            )
        case .notify:
            tr("Whether to show a desktop notification when a session cannot be renewed. Takes effect when the agent next starts.")
        case .blockedProgram(let path): tr("Whether the agent refuses tokens to {1}.", path)
        case .browser:
            tr("The command that opens this provider's pages. The URL is its last argument; no shell runs it.")
        case .isPrivate: tr("Whether this provider's pages are opened in a private window.")
        case .policy: tr("Which programs can get the tokens of this provider's sessions.")
        }
    }

    /// Returns a setting's value for display.
    package static func value(_ setting: Setting) -> String {
        switch setting.value {
        case .flag(let isOn): isOn ? on : off
        case .word(let word): option(word, of: setting.id)
        case .text(let text): text.isEmpty ? defaultBrowser : text
        case .span(let seconds): seconds.map(SpanText.written) ?? never
        }
    }

    /// Returns an option for display.
    package static func option(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .language: Language(rawValue: word)?.ownName ?? tr("from the environment")
        case .policy: TokenPolicy(rawValue: word).map(policy) ?? word
        case .motion: Motion(rawValue: word).map(motion) ?? word
        case .seal: seal(word).name
        default: word
        }
    }

    private static func motion(_ motion: Motion) -> String {
        switch motion {
        case .full: tr("everything")
        case .reduced: tr("no animation")
        case .off: tr("only times")
        }
    }

    private static func policy(_ policy: TokenPolicy) -> String {
        switch policy {
        case .allow: tr("all your programs")
        case .ask: tr("programs you approve")
        case .deny: tr("no program")
        }
    }

    /// Returns the meaning of an option; empty if the option is self-explanatory.
    package static func optionMeaning(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .seal: seal(word).meaning
        case .policy where word == TokenPolicy.ask.rawValue: tr("asks you here each time")
        default: ""
        }
    }

    /// Returns where the store's key is kept, in words instead of the value of the configuration, and what that means.
    private static func seal(_ word: String) -> (name: String, meaning: String) {
        switch word {
        case "auto": (tr("automatic"), tr("the login keyring if it is unlocked, else systemd, else a key file"))
        case "passphrase": (tr("passphrase"), tr("asks you for it"))
        case "secret-service": (tr("login keyring"), tr("in your login keyring"))
        case "system": (tr("systemd"), tr("sealed by systemd to this machine, with its TPM if it has one"))
        case "security-key": (tr("security key"), tr("opened by your FIDO2 security key, with its PIN and a touch"))
        case "key-file": (tr("key file"), tr("in a file beside the store: anyone who can read your files has both"))
        case "memory": (tr("memory"), tr("nothing is saved"))
        default: (Words.spelled(word), "")
        }
    }
}
