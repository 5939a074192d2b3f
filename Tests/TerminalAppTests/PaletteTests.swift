import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

@Suite("Command palette")
struct PaletteTests {
    private func palette(_ state: AppState) throws -> PaletteScreen {
        var found: PaletteScreen?
        if let screen = state.current.as(PaletteScreen.self) { found = screen }
        return try #require(found)
    }

    private func opened(typing text: String) throws -> AppState {
        var state = Given.pressed(try Given.sessions(), .down, .character(":"))
        state.type(text)
        return state
    }

    private func titles(_ state: AppState) throws -> [String] {
        let screen = try palette(state)
        return screen.matches.indices.compactMap { screen.entry(at: $0, in: state.model)?.title }
    }

    /// Every action of the help can be found, and no other entry has a key. What only moves is of no use in a list of actions.
    @Test func paletteListsEveryActionOfTheKeyTable() throws {
        let state = try Given.sessions()
        let bindings = state.current.screen.keys(in: state.model).bindings + state.globalKeys.bindings
        let table = KeyMap(bindings.filter { !$0.isMovement && $0.action != "palette" }).merged
        let screen = try palette(Given.pressed(state, .character(":")))
        let actions = screen.matches.indices.compactMap { screen.entry(at: $0, in: state.model) }.filter { !$0.keys.isEmpty }
        #expect(Set(actions.map(\.title)) == Set(table.map(\.help)))
        #expect(Set(actions.map(\.keys)) == Set(table.map(\.keys)))
    }

    /// Before something is typed, the actions of the screen are first, and last what leaves it and what does not work now.
    @Test func actionsOfTheScreenAreFirstAndWaysOutLast() throws {
        for (name, state) in try Given.everyScreen() where !(state.current.screen is PaletteScreen) {
            let opened = Given.pressed(state, .control("p"))
            guard let screen = opened.current.as(PaletteScreen.self) else { continue }
            let entries = screen.matches.prefix(screen.actions.count).indices.compactMap { screen.entry(at: $0, in: opened.model) }
            let places = entries.map(\.place)
            #expect(places == places.sorted(), "\(name)")
        }
        let opened = Given.pressed(try Given.sessions(), .down, .character("a"), .character(":"))
        let screen = try palette(opened)
        let verbs = screen.actions.filter { $0.place == 1 }.map { $0.verb ?? $0.title }
        #expect(verbs.contains(CommonWords.keyQuit) && verbs.contains("go back"))
        #expect(screen.status(in: opened.model) == "")
    }

    /// An action has one row with all its keys, in the palette and on the help page, on every screen.
    @Test func eachActionIsListedOnce() throws {
        for (name, state) in try Given.everyScreen() {
            let own = state.current.screen.keys(in: state.model)
            let rows = KeyMap(own.bindings + state.globalKeys.below(own).bindings).merged.filter { !$0.isMovement }
            let words = rows.map { "\($0.label): \($0.help)" }
            #expect(Set(words).count == words.count, "\(name): \(words)")
        }
        let state = Given.pressed(try Given.sessions(), .down)
        let entries = try palette(Given.pressed(state, .character(":"))).actions.filter { !$0.keys.isEmpty }
        let verbs = entries.map { $0.verb ?? $0.title }
        #expect(Set(verbs).count == verbs.count, "\(verbs)")
        #expect(entries.first?.keys == [.enter, .right, .character("l")])
        #expect(Given.pressed(state, .character(":")).picture().text.contains("Enter → l"))
        #expect(Given.pressed(state, .character("?")).picture().text.contains("Enter, →, l"))
    }

    /// A few letters are enough, and other words for the same action.
    @Test(arguments: [("sgout", "sign out"), ("logout", "sign out"), ("exit", "quit"), ("dark", "theme")])
    func actionIsFoundByItsLettersAndByOtherWords(text: String, title: String) throws {
        let state = try opened(typing: text)
        let entry = try #require(try palette(state).entry(at: 0, in: state.model))
        #expect([entry.verb ?? "", entry.title].joined(separator: " ").contains(title), "\(entry)")
    }

    @Test func sessionIsFoundByItsLetters() throws {
        #expect(try titles(opened(typing: "wkada")).first == PaletteWords.open("work/ada@example.org"))
        #expect(try titles(opened(typing: "zzz")) == [])
    }

    /// Every action on a session can be found from any screen, and has the same effect there.
    @Test(arguments: [
        ("renew work/ada", Key.character("r")), ("copy work/ada", .character("y")), ("sign out of work/ada", .character("o")),
        ("forget work/ada", .character("x")), ("tokens inspect work/ada", .character("i")),
    ])
    func sessionActionDoesWhatItsKeyDoes(words: String, key: Key) throws {
        var here = try Given.sessions()
        while here.currentTraits.selectedRow.map({ here.model.sessions?[$0].name.description }) != "work/ada@example.org" {
            _ = here.press(.down)
        }
        let commands = here.press(key)
        var there = Given.pressed(try Given.sessions(), .character("a"), .character(":"))
        there.type(words)
        #expect(there.press(.enter) == commands)
        #expect(there.notice == here.notice)
        #expect(there.opened.last == here.opened.last || here.opened.isEmpty)
    }

    /// Places without a key on the screen can be found too, and each place is listed once.
    @Test func everyPlaceCanBeReachedFromEveryScreen() throws {
        let places = PaletteScreen.places(in: try Given.sessions().model).map(\.title)
        for (name, state) in try Given.everyScreen() where !(state.current.screen is PaletteScreen) {
            let titles = try titles(Given.pressed(state, .control("p")))
            for place in places { #expect(titles.count { $0 == place } == 1, "\(place), on \(name)") }
        }
        var state = Given.pressed(try Given.sessions(), .down, .enter, .character(":"))
        state.type("on a time axis")
        _ = state.press(.enter)
        #expect(state.trail.last == TimelineWords.title)
    }

    @Test func manyMatchesOfferOpenAndFewOfferEveryAction() throws {
        let many = try (0..<20).map { try Sample.session("work/person\($0 + 10)") }
        var state = Given.pressed(
            Given.loaded(providers: [try Sample.provider("work")], sessions: many), .character(":"))
        state.type("person")
        #expect(try titles(state) == many.map { PaletteWords.open($0.name.description) })
        state.type("17")
        #expect(try titles(state) == PaletteSessionAction.allCases.map { $0.title(many[7].name) })
        state.type(" renew")
        #expect(try titles(state) == [PaletteWords.renew("work/person17")])
    }

    @Test func entryDoesWhatItsKeyDoes() throws {
        var found = try opened(typing: "clipboard token")
        #expect(try palette(found).matches.count == 1)
        var pressed = Given.pressed(try Given.sessions(), .down)
        #expect(found.press(.enter) == pressed.press(.character("y")))
        #expect(found.model.recentActions == ["copy a fresh access token to the clipboard"])
        var without = found
        without.model = pressed.model
        #expect(without == pressed)
    }

    @Test func recentChoicesComeFirst() throws {
        var state = try opened(typing: "timeline")
        _ = state.press(.enter)
        _ = state.press(.escape)
        #expect(try titles(Given.pressed(state, .character(":"))).first == TimelineWords.help)
    }

    /// What is called "sign out" is before what only mentions it.
    @Test(arguments: [("sign out", "sign out"), ("quit", "quit")])
    func namesComeBeforeExplanations(text: String, verb: String) throws {
        let state = try opened(typing: text)
        #expect(try palette(state).entry(at: 0, in: state.model)?.verb == verb)
    }

    /// Each action begins with a verb and says what it acts on, although the footer has only a noun for it.
    @Test func namesSayWhatIsDone() throws {
        let state = Given.pressed(try Given.sessions(), .down, .character(":"))
        let verbs = try palette(state).actions.compactMap(\.verb)
        for noun in [SessionListWords.keyOpen, SessionListWords.keyActivity, TimelineWords.key, CommonWords.keyTheme, SettingsWords.key] {
            #expect(!verbs.contains(noun) && verbs.contains { $0.contains(noun) }, "\(noun)")
        }
        let text = state.picture(Size(columns: 120, rows: 40)).text
        #expect(text.contains("Open the session") && text.contains("Add provider "))
        #expect(PaletteWords.explanation("choose a theme, with a preview", after: "choose a theme") == "with a preview")
        #expect(PaletteWords.explanation("view and change the settings", after: "change the settings") == "")
        #expect(PaletteWords.explanation("list", after: "return to the list") == "")
        #expect(PaletteWords.explanation("sort by name", after: "sort the list") == "sort by name")
        #expect(PaletteWords.explanation("renewals", after: "renew") == "renewals")
        // The footer's word finds it too, before what only mentions it.
        var typed = Given.pressed(try Given.sessions(), .character(":"))
        typed.type("theme")
        #expect(try palette(typed).entry(at: 0, in: typed.model)?.keys == [.character("t")])
    }

    /// A narrow list has whole names and no explanations.
    @Test func narrowPaletteLeavesOutExplanations() throws {
        let text = Given.pressed(try Given.sessions(), .down, .character(":")).picture(Size(columns: 40, rows: 12)).text
        #expect(text.contains("See what needs action") && !text.contains("show all details"))
    }

    @Test func themeCanBeChosenByItsName() throws {
        var state = try opened(typing: "use the theme")
        let title = try #require(try titles(state).first)
        let name = try #require(state.model.themes.first { title == PaletteWords.switchTheme($0) })
        #expect(state.press(.enter) == [.saveSetting(SettingChange(.theme, .word(name)))])
        #expect(state.model.themeName == name && state.opened.isEmpty)
    }

    /// The box begins with the key that opens it, and ends below the last match; its first row stays where it is.
    @Test func paletteShrinksToItsMatches() throws {
        func edges(_ state: AppState) throws -> (top: Int, bottom: Int) {
            let picture = state.picture()
            return (try #require(picture.find("╭─ \(PaletteWords.title) ─")).top, try #require(picture.find("╰───")).top)
        }
        let (all, few) = (try edges(opened(typing: "")), try edges(opened(typing: "quit")))
        #expect(few.top == all.top && few.bottom < all.bottom)
        #expect(try opened(typing: "quit").picture().text.contains("│ : quit"))
    }

    /// The list lies in a box above the screen that it acts on, and a click beside the box closes it.
    @Test func paletteFloatsAboveTheDimmedScreen() throws {
        var state = Given.pressed(try Given.sessions(), .character(":"))
        let picture = state.picture()
        let below = try #require(picture.find("1 signed in"))
        #expect(picture.style(at: below.origin)?.attributes == .dim)
        let box = try #require(picture.find("╭─ \(PaletteWords.title) ─"))
        #expect(box.top > 1 && box.left > 0)
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: box.left + 3, row: box.top))))
        #expect(state.opened.count == 1)
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: below.origin)))
        #expect(state.opened.isEmpty)
    }

    @Test func paletteOpensSessionsAndSignIns() throws {
        var state = try opened(typing: "open marie")
        #expect(state.press(.enter) == [.loadSession(try Sample.name("old/marie"))])
        state = try opened(typing: "sign in to lab")
        _ = state.press(.enter)
        guard let screen = state.current.as(SigningInScreen.self) else { return #expect(Bool(false), "no sign-in") }
        #expect(screen.request.provider.text == "lab")
    }

    @Test func unavailableEntryShowsItsReasonAndStaysOpen() throws {
        var state = Given.pressed(Given.loaded(), .character(":"))
        state.type("start the demo")
        #expect(state.picture(Size(columns: 120, rows: 24)).text.contains("not now"))
        #expect(state.press(.enter) == [])
        #expect(state.notice?.text == GuideWords.noDemo)
        _ = state.press(.escape)
        #expect(state.opened.isEmpty)
    }

    @Test func paletteOpensFromATextField() throws {
        let state = Given.pressed(try Given.firstRun(), .character("s"), .control("p"))
        #expect(try palette(state).matches.count > 5)
    }
}

@Suite("Custom keys")
struct KeyChangeTests {
    private func changed(_ screen: String, _ action: String, _ keys: Key...) -> KeyChanges {
        var changes = KeyChanges()
        changes[screen, action] = keys
        return changes
    }

    @Test func changedKeyDecodesAndIsShown() throws {
        var state = Given.pressed(try Given.sessions(), .down)
        state.model.keys = changed("sessions", "renew", .control("r"))
        #expect(state.picture(Size(columns: 120, rows: 24)).text.contains("^R renew"))
        #expect(state.press(.character("r")) == [])
        #expect(state.press(.control("r")).count == 1)
    }

    @Test func globalKeyChangeAppliesEverywhere() throws {
        var state = try Given.sessions()
        state.model.keys = changed(KeyChanges.everywhere, "theme", .function(2))
        _ = state.press(.character("t"))
        #expect(state.opened.isEmpty)
        _ = state.press(.function(2))
        #expect(state.current.as(ThemesScreen.self) != nil)
    }

    /// The newer screens read the same table: decoding, the footer and the reference follow it.
    @Test func keysOfSettingsInspectorGuideAndTimelineCanBeChanged() throws {
        var settings = Given.pressed(try Given.sessions(), .character(","))
        settings.model.keys = changed("settings", "change", .character("e"))
        #expect(settings.picture().text.contains("e change"))
        _ = settings.press(.enter)
        guard let still = settings.current.as(SettingsScreen.self) else { throw Missing() }
        #expect(still.phase == .browsing)
        _ = settings.press(.character("e"))
        guard let choosing = settings.current.as(SettingsScreen.self) else { throw Missing() }
        #expect(choosing.phase != .browsing)

        var inspector = try Given.inspector()
        inspector.model.keys = changed("inspector", "next", .control("n"))
        _ = inspector.press(.control("n"))
        guard let second = inspector.current.as(InspectorScreen.self) else { throw Missing() }
        #expect(second.selected == 1)

        var guide = Given.loaded()
        guide.model.keys = changed("guide", "add-provider", .function(3))
        _ = guide.press(.function(3))
        #expect(guide.trail.last == AddProviderWords.title)

        var timeline = Given.pressed(try Given.sessions(), .character("T"))
        let actions = KeyReference().actions(on: "timeline")
        #expect(actions.contains("zoom-in") && actions.contains("zoom-out"))
        timeline.model.keys = changed("timeline", "zoom-out", .character("w"))
        _ = timeline.press(.character("w"))
        guard let wider = timeline.current.as(TimelineScreen.self) else { throw Missing() }
        #expect(wider.zoom == 2)
    }

    @Test func referenceIncludesTheKeysOfASettingsChoice() {
        #expect(Set(KeyReference().actions(on: "settings")).isSuperset(of: ["change", "keep", "reset", "back", "move-down"]))
    }

    /// A letter that was assigned to an action is text in a text field.
    @Test func assignedLettersAreTextInTextFields() throws {
        var state = Given.pressed(try Given.sessions(), .character("/"))
        state.model.keys = changed("sessions", "move-down", .character("n"))
        state.model.keys[KeyChanges.everywhere, "palette"] = [.character("p")]
        state.type("np")
        guard let screen = state.current.as(SessionsScreen.self) else { throw Missing() }
        #expect(screen.filter.text == "np")
        // In a text field, the default key still opens the palette.
        #expect(state.press(.control("p")).isEmpty)
        #expect(state.opened.count == 1)
    }

    private struct Missing: Error {}

    @Test func screenNamesFollowTheirTypes() {
        #expect(SessionsScreen.name == "sessions")
        #expect(HomeScreen.name == "home")
        #expect(SigningInScreen.name == "signing-in")
    }

    @Test func everyActionHasAUniqueName() {
        let reference = KeyReference()
        for screen in reference.screens {
            let actions = reference.entries.filter { $0.screen == screen }.map(\.action)
            #expect(Set(actions).count == actions.count, "\(screen)")
        }
        #expect(reference.screens.contains("sessions") && reference.screens.contains(KeyChanges.everywhere))
    }

    @Test func oneKeyForTwoActionsIsAConflict() {
        let reference = KeyReference()
        let changes = changed("sessions", "renew", .character("o"))
        #expect(
            reference.problem(with: [.character("o")], for: "renew", on: "sessions", in: changes)
                == "o is already the key of sign-out")
        let global = changed("sessions", "renew", .character("t"))
        #expect(
            reference.problem(with: [.character("t")], for: "renew", on: "sessions", in: global)
                == "t is already the key of theme on everywhere")
        // Swapping two keys is no conflict.
        var swapped = changed("sessions", "renew", .character("o"))
        swapped["sessions", "sign-out"] = [.character("r")]
        #expect(reference.problem(with: [.character("o")], for: "renew", on: "sessions", in: swapped) == nil)
        #expect(reference.problem(with: [.character("r")], for: "sign-out", on: "sessions", in: swapped) == nil)
    }

    @Test func reservedKeysAndTextKeysCannotBeAssigned() {
        let reference = KeyReference()
        #expect(reference.problem(with: [.control("c")], for: "renew", on: "sessions", in: KeyChanges())?.contains("ctrl-c") == true)
        #expect(
            reference.problem(with: [.character("x")], for: "choose", on: "picker", in: KeyChanges())?.contains("types text here") == true)
    }

    @Test(arguments: ["r", "R", "?", "ctrl-r", "alt-x", "shift-tab", "f5", "enter", "space", "page-down", "ctrl-left", "escape"])
    func keyNamesRoundTrip(name: String) throws {
        #expect(try #require(Key(name: name)).name == name)
    }

    @Test(arguments: ["", "ctrl-", "hyper-x", "shift-r", "f0", "f64", "rr", "ctrl-ctrl-x", " "])
    func invalidKeyNameIsRefused(name: String) {
        #expect(Key(name: name) == nil)
    }
}
