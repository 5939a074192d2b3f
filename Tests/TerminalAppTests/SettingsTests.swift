import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The user's own themes, which are read again when their files change.
@Suite struct ThemeReloadTests {
    private static func settings(_ names: String..., theme: String, warnings: [String] = []) -> TerminalAppSettings {
        let themes = names.map { Theme(name: $0, summary: "", roles: [:], surfaces: [:]) }
        return TerminalAppSettings(themes: themes, theme: theme, warnings: warnings)
    }

    private static let broken = "~/.config/yett/themes/mine.toml:3: this list is not closed"

    private func state(_ settings: TerminalAppSettings) throws -> AppState {
        var state = AppState(settings, now: Sample.now)
        _ = state.take(.loaded(.unlocked, providers: [], sessions: try Sample.sessions(), at: Sample.now))
        return state
    }

    @Test func themeIsKeptWhileItsFileIsInvalid() throws {
        var state = try state(Self.settings("gate", "mine", theme: "mine"))
        _ = state.take(.settingsRead(.success(Self.settings("gate", theme: "mine", warnings: [Self.broken]))))
        #expect(TerminalAppRoot.theme(in: state).name == "mine")
        #expect(state.notice?.text == Self.broken)
        var mended = Self.settings("gate", theme: "mine")
        mended.themes.append(Theme(name: "mine", summary: "mended", roles: [:], surfaces: [:]))
        _ = state.take(.settingsRead(.success(mended)))
        #expect(TerminalAppRoot.theme(in: state).summary == "mended")
        #expect(state.notice == nil, "what was mended needs no word any more")
    }

    @Test func invalidThemeIsUsedOnceItsFileIsValid() throws {
        var state = try state(Self.settings("gate", theme: "mine", warnings: [Self.broken]))
        #expect(TerminalAppRoot.theme(in: state).name == "gate")
        #expect(state.notice?.text == Self.broken)
        _ = state.take(.settingsRead(.success(Self.settings("gate", "mine", theme: "mine"))))
        #expect(TerminalAppRoot.theme(in: state).name == "mine")
    }

    @Test func laterNoticeIsKept() throws {
        var state = try state(Self.settings("gate", theme: "gate", warnings: [Self.broken]))
        state.notice = Notice("something else")
        _ = state.take(.settingsRead(.success(Self.settings("gate", theme: "gate"))))
        #expect(state.notice?.text == "something else")
    }
}

/// The settings screen: what keys change, what is written, and that a preview of a theme writes nothing.
@Suite struct SettingsTests {
    private static func opened(_ rows: Int = 0, size: Size = Size(columns: 80, rows: 24)) throws -> AppState {
        var state = Given.pressed(try Given.sessions(size: size), .character(","))
        for _ in 0..<rows { _ = state.press(.down) }
        return state
    }

    private static func screen(_ state: AppState) -> SettingsScreen? {
        if let screen = state.current.as(SettingsScreen.self) { screen } else { nil }
    }

    private static func row(_ id: Setting.ID) throws -> Int {
        try #require(Sample.sheet.settings.firstIndex { $0.id == id })
    }

    /// The row of the seal says how the key of the user's store is kept, and what that does not protect from.
    @Test(
        arguments: [
            (.passphrase, nil, "Your passphrase opens the store."), (.secretService, nil, "in your login keyring."),
            (.system, .tpm, "with its TPM."), (.system, .hostAndTPM, "with its TPM and a host key."),
            (.system, .host, "with a host key and no TPM."), (.system, .unknown, "to this machine."),
            (.securityKey, nil, "Each of 2 security keys opens your store."), (.keyFile, nil, "in a file beside it."),
            (.memory, nil, "in memory only."),
        ] as [(Seal, SystemKey?, String)])
    func sealSaysHowTheKeyIsKept(seal: Seal, key: SystemKey?, words: String) throws {
        let report = SealReport(state: .unlocked, needsPassphrase: false, seal: seal, systemKey: key, securityKeys: 2)
        for columns in [80, 200] {
            var state = try Self.opened(try Self.row(.seal), size: Size(columns: columns, rows: 40))
            let before = state.picture().text
            #expect(!before.contains(words) && !before.contains("Not protected: "))
            _ = state.take(.loaded(report, providers: [], sessions: try Sample.sessions(), at: Sample.now))
            let text = state.picture().text
            #expect(text.contains(words) || columns == 80, "\(text)")
            #expect(text.contains("Not protected: from programs that run as you"), "\(text)")
        }
        #expect(StoreKeyWords.sentences(report).count == 2)
        #expect(StoreKeyWords.sentences(SealReport(state: .unlocked, needsPassphrase: false)) == [])
    }

    @Test func changeOfTheSealIsReadAgain() throws {
        var state = try Given.sessions()
        let change = Activity(at: Sample.now, kind: .sealChanged, session: nil, message: "activity.seal_changed")
        #expect(state.take(.serviceReported(.activity(change))) == [.load])
    }

    @Test func switchIsWrittenAtOnce() throws {
        var state = try Self.opened(try Self.row(.guestPrompt))
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.guestPrompt, .flag(false)))])
        #expect(state.press(.enter) == [], "one change at a time")
        #expect(state.notice?.text == SettingsWords.isSaving)
        #expect(state.take(.settingSaved(.guestPrompt, nil)) == [.reload])
        #expect(state.notice?.text == "saved: Guest prompt")
    }

    @Test func themeIsPreviewedAndSavedOnlyWithEnter() throws {
        var state = try Self.opened()
        #expect(TerminalAppRoot.theme(in: state).name == "uncoloured")
        _ = state.press(.enter)
        _ = state.press(.down)
        #expect(TerminalAppRoot.theme(in: state).name == "night")
        #expect(state.model.themeName == "uncoloured")
        _ = state.press(.escape)
        #expect(TerminalAppRoot.theme(in: state).name == "uncoloured")
        _ = state.press(.enter)
        _ = state.press(.down)
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.theme, .word("night")))])
        #expect(TerminalAppRoot.theme(in: state).name == "night")
        _ = state.take(.settingSaved(.theme, nil))
        #expect(TerminalAppRoot.theme(in: state).name == "night")
        #expect(Self.screen(state)?.phase == .browsing)
    }

    /// The list of themes, from every screen: nothing is saved before Enter, and Esc takes a preview back.
    @Test func listOfThemesSavesOnlyWithEnter() throws {
        var state = try Given.sessions()
        let former = state.model.themeName
        #expect(state.press(.character("t")) == [] && state.press(.down) == [])
        #expect(TerminalAppRoot.theme(in: state).name == "night")
        #expect(state.picture().text.contains("Theme") && state.picture().text.contains("uncoloured ✓"))
        #expect(state.press(.escape) == [])
        #expect(TerminalAppRoot.theme(in: state).name == former && state.opened.isEmpty)
        state = Given.pressed(state, .character("t"), .character("t"))
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.theme, .word("night")))])
        #expect(TerminalAppRoot.theme(in: state).name == "night" && state.opened.isEmpty)
        state = Given.pressed(state, .character(","), .character("t"))
        #expect(state.press(.enter) == [], "the theme in use is not written again")
    }

    /// The description of a theme stands beside its name, where that leaves enough of the screen below in sight; if not, that of the selected
    /// one stands below the list.
    @Test(arguments: [(80, 24, false), (120, 40, true), (200, 60, true), (60, 12, true)])
    func themesAreDescribedWhereThereIsSpace(columns: Int, rows: Int, isDescribed: Bool) throws {
        let themes = [Theme(name: "daylight", summary: "ink on warm paper, for bright rooms", roles: [:], surfaces: [:]), .uncoloured]
        var state = AppState(TerminalAppSettings(themes: themes, theme: "daylight"), now: Sample.now)
        _ = state.take(.loaded(.unlocked, providers: [], sessions: try Sample.sessions(), at: Sample.now))
        _ = state.take(.resized(Size(columns: columns, rows: rows)))
        let lines = Given.pressed(state, .character("t")).picture(Size(columns: columns, rows: rows)).text.split(separator: "\n")
        let line = try #require(lines.first { $0.contains("daylight ✓") })
        #expect(line.contains("ink on warm paper, for bright rooms") == isDescribed)
        #expect(lines.contains { $0.contains("ink on warm paper, for bright") })
    }

    /// The screen below a preview keeps its colours, and is not dimmed.
    @Test func previewShowsTheScreenBelowInItsColours() throws {
        let state = Given.pressed(try Given.sessions(), .character("t"))
        let plain = try Given.sessions().picture()
        let point = Point(column: 1, row: 0)
        let below = Point(column: 5, row: 6)
        #expect(state.picture().cell(at: point)?.style == plain.cell(at: point)?.style)
        #expect(state.picture().cell(at: below)?.style == plain.cell(at: below)?.style)
    }

    /// A value that the configuration sets is marked, and no value is cut while there is space.
    @Test(arguments: [80, 120, 200]) func changedValuesAreMarked(columns: Int) throws {
        let lab = try Self.row(.policy(try #require(ProviderName("lab"))))
        let text = Given.pressed(try Self.opened(lab, size: Size(columns: columns, rows: 40)), .enter).picture().text
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.contains("● Lock after") } && lines.contains { $0.contains("● Theme") })
        #expect(!lines.contains { $0.contains("● Mouse") })
        #expect(text.contains("from BROWSER or the desktop") && text.contains("all your programs"))
    }

    /// A provider has one row. Enter lists its settings below it, and hides them again.
    @Test func providerOpensItsSettings() throws {
        let lab = try #require(ProviderName("lab"))
        var state = try Self.opened(try Self.row(.policy(lab)))
        func rows() -> Int? { Self.screen(state)?.rows(in: state.model).count }
        let closed = try #require(rows())
        #expect(closed == Sample.sheet.settings.count { $0.id.provider == nil } + 2)
        #expect(state.picture().text.contains("lab") && state.picture().text.contains("› defaults"))
        #expect(state.press(.character("d")) == [])
        #expect(state.notice?.text == SettingsWords.isProvider)
        #expect(state.press(.enter) == [] && rows() == closed + 3)
        for _ in 0..<3 { _ = state.press(.down) }
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.isPrivate(lab), .flag(true)))])
        _ = state.take(.settingSaved(.isPrivate(lab), nil))
        for _ in 0..<3 { _ = state.press(.up) }
        #expect(state.press(.enter) == [] && rows() == closed)
    }

    private static let large = Size(columns: 200, rows: 60)

    /// A large screen has a title above each section, the changes below the list, and a preview below the setting.
    @Test func largeScreenShowsChangesAndAPreview() throws {
        let picture = try Self.opened(size: Self.large).picture()
        func place(_ text: String) throws -> Rect { try #require(picture.find(text), "\(text) in \(picture.text)") }
        let (list, file) = (try place("╭─ Settings ─"), try place("╭─ Configuration file ─"))
        let (details, preview) = (try place("╭─ Theme ─"), try place("╭─ Preview ─"))
        #expect(list.left == file.left && list.top < file.top && details.left == preview.left && details.top < preview.top)
        #expect(details.left > list.right)
        let rows = picture.text.split(separator: "\n")
        #expect(rows.contains { $0.hasPrefix("│   Appearance   ") } && rows.contains { $0.hasPrefix("│   Providers   ") })
        #expect(try place("Lock after  15 min").top > file.top, "what is changed is listed again")
        for state in SessionState.allCases { #expect(try place(Words.meaning(state)).left > preview.left) }
        #expect(try place("╭─ \(SessionsGraphWords.pastDay)").top > preview.top)
    }

    /// A click selects the setting on its line, and one on a title does nothing.
    @Test func clicksSelectSettingsBelowTitles() throws {
        var state = try Self.opened(size: Self.large)
        let (mouse, title) = (try #require(state.picture().find("Mouse")), try #require(state.picture().find("Agent ")))
        for place in [mouse, title] {
            _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: place.left, row: place.top))))
            #expect(Self.screen(state)?.selection(in: state.model)?.id == .mouse)
        }
    }

    /// Beside a provider are its facts, its sessions and their activity.
    @Test func largeScreenShowsTheSessionsOfAProvider() throws {
        let lab = try #require(ProviderName("lab"))
        var state = try Self.opened(try Self.row(.policy(lab)), size: Self.large)
        let entries = [try Given.use("/usr/bin/git", .seconds(60), of: "lab/grace"), try Given.use("/usr/bin/docker", .seconds(60))]
        _ = state.take(.activityLoaded(entries))
        let picture = state.picture()
        for text in ["╭─ lab ─", "╭─ Sessions ─", "╭─ Activity ─", "OpenID Connect", "◐ expiring"] {
            #expect(picture.find(text) != nil, "\(text) in \(picture.text)")
        }
        #expect(picture.text.contains("git") && !picture.text.contains("docker"))
        #expect(Given.pressed(state, .enter, .down).picture().text.contains("╭─ lab: Token access ─"))
    }

    /// While a language is being chosen, the preview is in it, and the rest is not.
    @Test func previewIsInTheChosenLanguage() throws {
        let state = Given.pressed(try Self.opened(1, size: Self.large), .enter, .down, .down)
        let text = state.picture().text
        #expect(text.contains("╭─ Vorschau ─") && text.contains("╭─ Settings ─") && text.contains("Enter save"))
    }

    /// What was changed at a provider is said in its row.
    @Test(arguments: [80, 120, 200]) func providerNamesWhatIsChanged(columns: Int) throws {
        let work = try #require(ProviderName("work"))
        var state = try Self.opened(size: Size(columns: columns, rows: 40))
        let index = try Self.row(.isPrivate(work))
        state.model.settings?.settings[index] = Setting(.isPrivate(work), .flag(true), isSet: true)
        let lines = state.picture().text.split(separator: "\n")
        #expect(lines.contains { $0.contains("● work ") && $0.contains("› Private window: on") })
        #expect(lines.contains { $0.contains("  lab ") && $0.contains("› defaults") })
    }

    @Test func failedChangeCanBeWrittenAgain() throws {
        var state = try Self.opened(try Self.row(.guestPrompt))
        let write = [Command.saveSetting(SettingChange(.guestPrompt, .flag(false)))]
        #expect(state.press(.enter) == write)
        _ = state.take(.settingSaved(.guestPrompt, AuthFailure(.configuration, text: "the disk is full", hint: nil)))
        #expect(state.press(.character("r")) == write)
        #expect(state.take(.settingSaved(.guestPrompt, nil)) == [.reload])
    }

    @Test func currentChoiceIsNotWrittenAgain() throws {
        var state = try Self.opened(try Self.row(.seal))
        _ = state.press(.enter)
        #expect(state.press(.enter) == [])
        #expect(Self.screen(state)?.phase == .browsing)
    }

    @Test func durationIsValidatedBeforeItIsWritten() throws {
        var state = try Self.opened(try Self.row(.lockAfter))
        _ = state.press(.enter)
        state.type("soon")
        #expect(state.press(.enter) == [])
        #expect(state.picture().text.contains("soon\": enter 90 s"))
        _ = state.press(.control("u"))
        state.type("15 min")
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.lockAfter, .span(900)))])
        let failure = AuthFailure(.configuration, text: "the file cannot be written", hint: "look at it")
        _ = state.take(.settingSaved(.lockAfter, failure))
        #expect(state.picture().text.contains("The file cannot be written: look at it."), "what was typed is kept")
        #expect(state.picture().text.contains("15 min"))
        _ = state.press(.control("u"))
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.lockAfter, nil))])
    }

    @Test func onlyASetValueCanBeReset() throws {
        var state = try Self.opened(try Self.row(.guestPrompt))
        #expect(state.press(.character("d")) == [])
        #expect(state.notice?.text == SettingsWords.isDefault)
        state = try Self.opened()
        #expect(state.press(.character("d")) == [.saveSetting(SettingChange(.theme, nil))])
    }

    @Test func saveFailureIsShown() throws {
        var state = try Self.opened(try Self.row(.guestPrompt))
        _ = state.press(.enter)
        _ = state.take(.settingSaved(.guestPrompt, AuthFailure(.configuration, text: "the disk is full", hint: nil)))
        #expect(state.picture().text.contains("The disk is full."))
    }

    @Test func withoutAConfigurationFileTheKeyShowsTheReason() throws {
        var state = try Given.sessions()
        state.model.settings = nil
        #expect(state.press(.character(",")) == [])
        #expect(state.notice?.text == SettingsWords.cannotChange)
    }

    @Test(
        arguments: [
            ("", Int64?.none), ("90 s", 90), ("15 min", 900), ("2H", 7200), (" 7 d ", 604_800), ("365d", 31_536_000),
        ] as [(String, Int64?)])
    func durationsAreParsed(text: String, seconds: Int64?) throws {
        #expect(try #require(SpanText(text)).seconds == seconds)
    }

    @Test(arguments: ["0", "900", "-1", "1.5 h", "h", "366 d", "99999999999999999999", "9223372036854775807 d", "15 parsecs"])
    func invalidDurationsAreRefused(text: String) { #expect(SpanText(text) == nil) }

    @Test(arguments: [1, 59, 60, 61, 900, 3600, 5400, 86_400, 604_800, 31_536_000] as [Int64])
    func durationsRoundTrip(seconds: Int64) throws {
        #expect(try #require(SpanText(SpanText.written(seconds))).seconds == seconds)
    }
}
