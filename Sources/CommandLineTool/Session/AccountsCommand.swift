internal import ArgumentParser
internal import AuthModel
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// `yett accounts`: prints the signed-in accounts of each provider, and which of them is the default account. Does not use the network.
struct AccountsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Show the accounts of each provider, and the default account.",
        discussion: """
            If several accounts are signed in at a provider, each is named PROVIDER/ACCOUNT. PROVIDER alone means the default account, \
            which yett switch sets. While the store is locked, the default account is unknown.
            """)
    static let examples: KeyValuePairs = ["yett accounts work": "Shows the accounts of one provider."]
    static let handlesInterruptions = false

    @Argument(help: "The provider. Default: all.", completion: .names(.providers))
    var provider: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let name = try provider.map { text throws(AuthFailure) in try ProviderName(argument: text) }
        let service = try await context.service()
        let accounts = try await AccountList(of: service, at: name, now: context.now)
        if let name, accounts.rows.isEmpty, await context.remoteOwner() == nil {
            _ = try context.configurationFile().read().named(name.text)
        }
        try context.answer(accounts, asJSON: json)
        guard !json else { return }
        if accounts.rows.isEmpty {
            context.console.note(name.map { "not signed in at \($0)" } ?? "not signed in")
            let isFirstStep = try await service.providers().isEmpty && name == nil
            let login = "sign in with: yett login" + (name.map { " \($0)" } ?? "")
            context.console.hint(isFirstStep ? ProvidersAddCommand.hintOrDemo : login)
        } else if accounts.rows.contains(where: { $0.isDefault == nil }) {
            context.console.note("the store is locked, so the default account is unknown", hint: "unlock it with: yett agent unlock")
        }
    }
}

/// `yett switch`: makes an account the default account of its provider.
struct SwitchCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Make an account the default account of its provider.",
        discussion: """
            PROVIDER alone then means that account, for every command and tool, while it is signed in. The other accounts keep their \
            names PROVIDER/ACCOUNT and are still renewed. Uses no network.
            """)
    static let examples: KeyValuePairs = [
        "yett switch work grace": "Makes grace the default account: work now means work/grace.",
        "yett switch work --none": "Sets no default account.",
    ]

    @Argument(help: "The provider, or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var provider: String

    @Argument(help: "The account: its label, or its subject at the provider.")
    var account: String?

    @Flag(help: "Set no default account: if there are several, always name one.")
    var none = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if none, account != nil || provider.contains("/") { throw ValidationError("name an account or say --none, not both") }
        if account != nil, provider.contains("/") { throw ValidationError("the account is given twice") }
    }

    func run(in context: CommandContext) async throws {
        let name = try SessionName(argument: provider)
        let service = try await context.unlockedService()
        try await service.makeDefault(none ? nil : try target(name, with: service), at: name.provider)
        try context.answer(await AccountList(of: service, at: name.provider, now: context.now), asJSON: json)
    }

    /// Returns the label of the account that becomes the default.
    private func target(_ name: SessionName, with service: any SessionService) async throws(AuthFailure) -> String? {
        let here = try await service.sessions(named: SessionName(argument: name.provider.text))
        guard let wanted = account ?? name.account else {
            throw AuthFailure(
                .usage, text: "which account of \(name.provider) should be the default?",
                hint: "name one: " + here.map(\.name.shellWord).joined(separator: ", "))
        }
        if let session = here.first(where: { $0.name.account == wanted }) ?? here.first(where: { $0.subject == wanted }) {
            return session.name.account
        }
        guard let named = SessionName(provider: name.provider, account: wanted) else {
            throw AuthFailure(
                .usage, text: "'\(wanted)' is not an account name", hint: "list accounts with: yett accounts \(name.provider)")
        }
        _ = try await service.sessions(named: named, among: here)
        return wanted
    }
}

/// The accounts of providers, with the default accounts marked.
struct AccountList: Answer {
    struct Row {
        var session: SessionSummary
        /// Whether the account is its provider's default account; `nil` if that is unknown.
        var isDefault: Bool?
    }

    let rows: [Row]
    /// The time for which session states are computed.
    private let now: Timestamp

    init(of service: any SessionService, at provider: ProviderName?, now: Timestamp) async throws(AuthFailure) {
        let sessions = try await service.sessions().filter { provider == nil || $0.name.provider == provider }
        let providers = try await service.providers()
        let isOpen = try await service.storeState() == .unlocked
        self.now = now
        rows = sessions.map { session in
            let isOnly = sessions.count { $0.name.provider == session.name.provider } == 1
            let active = providers.first { $0.name == session.name.provider }?.defaultAccount
            return Row(session: session, isDefault: isOnly ? true : isOpen ? session.name.account == active : nil)
        }
    }

    init(rows: [Row], now: Timestamp) {
        self.rows = rows
        self.now = now
    }

    var lines: [String] {
        var table = TextTable("DEFAULT", "SESSION", "SUBJECT", "STATE")
        for row in rows {
            table.add([
                row.isDefault.map { $0 ? "*" : "" } ?? "?", row.session.name.description, row.session.subject ?? "-",
                Words.state(row.session.shownState(at: now)),
            ])
        }
        return table.lines
    }

    /// The accounts as `status` shows them, with the default one among several in words.
    func rows(on display: Display) -> [StyledText] {
        var table = TextTable("", "SESSION", "STATE", "", "SUBJECT")
        table.dispensable = [4]
        let counts = Dictionary(rows.map { ($0.session.name.provider, 1) }, uniquingKeysWith: +)
        for row in rows {
            let state = row.session.shownState(at: now)
            let isOnly = counts[row.session.name.provider] == 1
            table.add([
                display.mark(of: state), StyledText(row.session.name.description, .title),
                StyledText(Words.state(state), Words.role(state)),
                StyledText(isOnly ? "" : row.isDefault.map { $0 ? "default" : "" } ?? "?", .accent),
                StyledText(row.session.subject ?? "", .muted),
            ])
        }
        return table.rows(on: display)
    }

    var json: JSONValue {
        .answer(list: "accounts", of: rows) { row in
            .members(
                ("session", .string(row.session.name.description)), ("provider", .string(row.session.name.provider.text)),
                ("account", JSONValue(row.session.name.account)), ("issuer", JSONValue(row.session.issuer)),
                ("subject", JSONValue(row.session.subject)), ("state", .string(row.session.state(at: now).rawValue)),
                ("active", row.isDefault.map(JSONValue.bool) ?? .null))
        }
    }
}
