import AuthModel
import Synchronization
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

struct AddProviderTests {
    let service = InMemorySessionService()
    let outside = RecordingEnvironment()

    private func screen(_ state: AppState) throws -> AddProviderScreen {
        var found: AddProviderScreen?
        if let screen = state.current.as(AddProviderScreen.self) { found = screen }
        return try #require(found)
    }

    /// No field moves when the focus does, or when another choice shows other fields.
    @Test func fieldsKeepTheirPlace() throws {
        var state = Given.addingProvider()
        let labels = ["Address *", "Client ID", "Scopes"]
        func columns() -> [Int?] { labels.map { state.picture().find($0 + " ")?.left } }
        func rows() -> [Int?] { labels.map { state.picture().find($0 + " ")?.top } }
        let first = (columns(), rows())
        for _ in 0..<6 {
            _ = state.press(.tab)
            #expect(columns() == first.0 && rows() == first.1)
        }
    }

    @Test func firstInvalidFieldShowsItsErrorBelowIt() throws {
        var state = Given.addingProvider()
        state.type("http://id.example.org")
        for _ in 0..<4 { _ = state.press(.tab) }
        state.type("a b")
        #expect(state.press(.enter) == [])
        let form = try screen(state).fields.form
        #expect(form[.address]?.problem == AddProviderWords.notProtected)
        #expect(form[.name]?.problem == AddProviderWords.badName)
        #expect(form.focus == .address)
        #expect(state.picture().text.contains("Http is allowed only for this machine"))
        // Typing clears the error.
        _ = state.press(.backspace)
        #expect(try screen(state).fields.form[.address]?.problem == nil)
    }

    @Test(arguments: [
        ("id .example.org", AddProviderWords.hasBlanks), ("https://", AddProviderWords.notAnAddress),
        ("ftp://id.example.org", AddProviderWords.notAnAddress),
    ])
    func invalidAddressIsReportedWithoutARequest(address: String, problem: String) throws {
        let state = Given.askedProvider(address: address)
        #expect(try screen(state).fields.form[.address]?.problem == problem)
        #expect(try screen(state).phase == .filling)
    }

    @Test func takenOrInvalidNameIsReportedWithoutARequest() {
        #expect(ProviderFieldRules.name("work", taken: ["work"]) == AddProviderWords.nameTaken("work"))
        #expect(ProviderFieldRules.name("a b", taken: []) == AddProviderWords.badName)
        #expect(ProviderFieldRules.name("", taken: ["work"]) == nil)
    }

    @Test func typingFindsAService() throws {
        var state = Given.choosingService()
        state.type("okt")
        let text = state.picture().text
        #expect(text.contains("Okta") && !text.contains("Google"))
        _ = state.press(.enter)
        #expect(try screen(state).fields.choice?.name == "okta")
        #expect(state.picture().text.contains("Enter your domain, such as dev-1.okta.com."))
        // Esc returns to the list, which is as it was.
        _ = state.press(.escape)
        #expect(try screen(state).list.filter.text == "okt")
    }

    /// The steps name the user's own place and the redirect to enter, while the user types.
    @Test func stepsAreShownWithTheRedirect() throws {
        var state = Given.choosingService()
        state.type("okta")
        _ = state.press(.enter)
        state.type("acme.okta.com")
        let text = state.picture().text
        #expect(text.contains("https://acme.okta.com/admin/apps"))
        #expect(text.contains("Enter http://127.0.0.1:8400/callback as sign-in redirect URI."))
    }

    @Test func whatIsNoServiceMayBeAnAddress() throws {
        var state = Given.choosingService()
        state.type("id.example.org")
        #expect(state.picture().text.contains("Use the address id.example.org"))
        _ = state.press(.enter)
        #expect(try screen(state).fields.form[.address]?.text == "id.example.org")
        #expect(try screen(state).fields.choice == nil)
    }

    @Test func serviceAsksOnlyForWhatItNeeds() throws {
        var maps = ProviderPresetChoice(name: "maps", title: "Maps", summary: "maps of buildings")
        maps.place = .init(what: "your key", example: "gateway.example.org/KEY")
        maps.client = .namedByProvider
        var forge = ProviderPresetChoice(name: "forge", title: "Forge", summary: "code hosting")
        forge.place = .init(what: "its host", example: "forge.example.org", fallback: "forge.org")
        var state = Given.choosingService(presets: ServiceChoices { [maps, forge] in [maps, forge] })
        state.type("maps")
        _ = state.press(.enter)
        let form = try screen(state).fields.form
        #expect([.clientID, .secretFile].allSatisfy { (id: ProviderForm.FieldID) in form[id]?.isShown == false })
        #expect(ProviderFieldRules.address("", choice: maps) == AddProviderWords.missingAnswer("your key"))
        #expect(ProviderFieldRules.address("", choice: forge) == nil)
    }

    /// Enter leads through the fields that are still missing, and then submits the form.
    @Test func enterLeadsThroughWhatIsRequired() throws {
        var state = Given.choosingService()
        state.type("google")
        _ = state.press(.enter)
        #expect(try screen(state).fields.form.focus == .clientID)
        #expect(state.press(.enter) == [])
        #expect(try screen(state).fields.form[.clientID]?.problem == AddProviderWords.noClientID)
        state.type("client")
        _ = state.press(.enter)
        #expect(try screen(state).fields.form.focus == .secretFile)
        state.type("~/secret")
        var draft = ProviderDraft(preset: "google", address: "", client: .identifier("client"), secretFile: "~/secret")
        draft.settings = []
        #expect(state.press(.enter) == [.findProvider(draft, RunID(number: 1))])
    }

    @Test func emptyAddressIsReportedInItsField() throws {
        let state = Given.pressed(Given.addingProvider(), .enter)
        #expect(try screen(state).fields.form[.address]?.problem == AddProviderWords.noAddress)
        #expect(try screen(state).phase == .filling)
    }

    @Test func buttonReportsEverythingThatIsMissing() throws {
        var state = Given.pressed(Given.choosingService(), .down, .enter, .backTab)
        #expect(try screen(state).fields.form.focus == .submit)
        #expect(state.press(.enter) == [])
        let form = try screen(state).fields.form
        #expect(form[.clientID]?.problem == AddProviderWords.noClientID && form[.secretFile]?.problem == AddProviderWords.noSecretFile)
    }

    @Test func requiredFieldsAreMarkedAndGrouped() {
        let text = Given.pressed(Given.choosingService(), .down, .enter).picture().text
        #expect(text.contains("Client     Client ID *") && text.contains("Secret file *") && text.contains("Options    Scopes  "))
        #expect(text.contains(" Continue    * required"))
    }

    /// A provider that registers no clients asks for one in its field, and not on a page of its own.
    @Test func clientIsAskedForWhereNoneCanBeRegistered() throws {
        var state = Given.askedProvider(client: nil)
        #expect(try screen(state).phase == .finding(RunID(number: 1)))
        let failure = AuthFailure(
            .configuration, UserMessage("registration.not_supported_by_host", ["host": "id.example.org"]),
            hint: "hint.register_client_yourself")
        _ = state.take(.providerFound(RunID(number: 1), .failure(failure)))
        let form = try screen(state).fields.form
        #expect(form.focus == .clientID && form.missing == .clientID)
        #expect(form[.clientID]?.problem?.contains("id.example.org") == true)
        state.type("yett")
        let draft = ProviderDraft(address: "id.example.org", client: .identifier("yett"))
        #expect(state.press(.enter) == [.findProvider(draft, RunID(number: 2))])
    }

    /// From the first screen to the sign-in at a new provider: four keys and the address.
    @Test(arguments: [true, false]) func fourKeysAndAnAddressAddAProvider(pastes: Bool) async throws {
        var app = await Given.app(service, outside)
        await app.press("n")
        if pastes { await app.send(.paste(PastedText("https://id.example.org"))) } else { await app.type("id.example.org") }
        await app.press(.enter)
        await app.press(.enter)
        #expect(app.screen.contains("Is this the right provider?") && app.screen.contains("Add and sign in"))
        #expect(outside.inside.withLock { $0.added }.isEmpty)
        try service.inside.withLock { $0.providers.append(try Sample.provider("example")) }
        await app.press(.enter)
        #expect(outside.inside.withLock { $0.added.map(\.draft.client) } == [.register])
        #expect(app.state.trail.last == "Sign in to example")
    }

    @Test func pasteFillsOneFieldAndSubmitsNothing() throws {
        var state = Given.addingProvider()
        let commands = state.take(.textPasted(PastedText("https://id.example.org\n")))
        #expect(commands.isEmpty)
        #expect(try screen(state).fields.form[.address]?.text == "https://id.example.org")
        #expect(try screen(state).fields.form.focus == .address)
    }

    @Test func userChoosesTheAuthorizationServerOfAResource() throws {
        var state = try Given.foundServers()
        #expect(state.picture().text.contains("▸ https://id.example.org"))
        #expect(state.picture().text.contains("is not verified"))
        _ = state.press(.down)
        let commands = state.press(.enter)
        let draft = ProviderDraft(
            address: "https://mcp.example/mcp", client: .identifier("yett"), authorizationServer: "https://other.example")
        #expect(commands == [.findProvider(draft, RunID(number: 2))])
    }

    @Test func answerAfterLeavingTheFormIsIgnored() throws {
        var state = Given.pressed(Given.askedProvider(), .escape)
        let before = state
        _ = state.take(.providerFound(RunID(number: 1), .failure(AuthFailure(.unavailable(retryAfter: nil), text: "it does not answer"))))
        #expect(state == before)
    }

    @Test func failureShowsAProblemAndKeepsTheForm() throws {
        var state = Given.askedProvider()
        let failure = AuthFailure(.unavailable(retryAfter: nil), text: "id.example.org does not answer", hint: "check the address")
        _ = state.take(.providerFound(RunID(number: 1), .failure(failure)))
        let text = state.picture().text
        #expect(text.contains("Failed: Look up the provider"))
        #expect(text.contains("Check the address."))
        _ = state.press(.escape)
        #expect(try screen(state).fields.form[.address]?.text == "id.example.org")
    }

    @Test func addedProviderIsSelectedInThePicker() async throws {
        try service.inside.withLock { $0.providers = [try Sample.provider("lab"), try Sample.provider("work")] }
        var app = await Given.app(service, outside)
        await app.press("s")
        // What the picker does not find is the address of a new provider.
        await app.type("id.example.org")
        await app.press(.enter)
        await app.press(.enter)
        await app.press(.enter)
        #expect(app.screen.contains("Is this the right provider?"))
        #expect(app.screen.contains("new; registered when you confirm"))
        #expect(outside.inside.withLock { $0.added }.isEmpty)
        try service.inside.withLock { $0.providers.append(try Sample.provider("example")) }
        await app.press("a")
        #expect(outside.inside.withLock { $0.added.map(\.draft.client) } == [.register])
        #expect(app.screen.contains("▸ example"))
        #expect(app.screen.contains("added example"))
    }

    /// Who came to sign up does so at the added provider, unless it has no page for that.
    @Test(arguments: [true, false]) func addedProviderGoesOnWithTheSignUp(offersSignUp: Bool) async throws {
        var known = try Sample.provider("lab")
        known.offersSignUp = true
        service.inside.withLock { $0.providers = [known] }
        var app = await Given.app(service, outside)
        await app.press("u")
        await app.type("id.example.org")
        for _ in 0..<3 { await app.press(.enter) }
        var added = try Sample.provider("example")
        added.offersSignUp = offersSignUp
        service.inside.withLock { $0.providers.append(added) }
        await app.press(.enter)
        #expect(app.state.trail.last == (offersSignUp ? "Sign up at example" : "Sign in to example"))
    }

    /// `git` is a word of GitHub, and only the beginning of Gitea.
    @Test func servicesWithTheTypedWordComeFirst() {
        let services = ["Gitea", "GitHub", "GitLab", "Legit"].map { ProviderPresetChoice(name: $0.lowercased(), title: $0, summary: "") }
        let titles = ServiceList(services, typed: "git").rows.compactMap { row -> String? in
            if case .service(let choice) = row { choice.title } else { nil }
        }
        #expect(titles == ["GitHub", "GitLab", "Gitea", "Legit"])
    }

    @Test func servicesOfOneNameAreToldApartByAWord() throws {
        let modes = ["development", "live"].map { mode in
            var choice = ProviderPresetChoice(name: "facebook", title: "Facebook", summary: "a social network")
            choice.mode = mode
            return choice
        }
        let list = ServiceList(modes + [ProviderPresetChoice(name: "okta", title: "Okta", summary: "identity provider")])
        #expect(modes.map(list.distinction) == ["development", "live"])
        var buffer = ScreenBuffer(size: Size(columns: 80, rows: 24))
        list.draw(in: buffer.bounds, into: &buffer)
        for name in ["Facebook (development)", "Facebook (live)", "Okta  "] { #expect(buffer.find(name) != nil, "\(buffer.text)") }
    }

    @Test func settingsChangeReloadsProviders() {
        var state = Given.loaded()
        #expect(state.take(.settingsChanged) == [.reload])
        #expect(state.take(.settingsRead(.success(Sample.settings))) == [.load])
    }

    @Test func lateSettingsReadDoesNotUndoAChosenTheme() {
        var state = Given.pressed(Given.loaded(), .character("t"), .down, .enter)
        let second = state.model.themeName
        state = Given.pressed(state, .character("t"), .up, .enter)
        let third = state.model.themeName
        #expect(second != third)
        var settings = Sample.settings
        settings.theme = second
        _ = state.take(.settingsRead(.success(settings)))
        #expect(state.model.themeName == third)
        settings.theme = third
        _ = state.take(.settingsRead(.success(settings)))
        #expect(state.model.themeName == third)
        settings.theme = second
        _ = state.take(.settingsRead(.success(settings)))
        #expect(state.model.themeName == second)
    }
}
