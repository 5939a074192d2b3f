import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// Questions, receipts and problems as cards above the dimmed screen.
@Suite struct CardTests {
    private static func cards() throws -> [(String, AppState)] {
        [
            ("problem", try Given.problem()), ("welcome", try Given.welcome()), ("receipt", try Given.receipt()),
            ("question", try Given.asked()), ("forget", Given.pressed(try Given.session(), .character("x"))),
        ]
    }

    /// A card is in the middle, as high as its text, and has the first keys of the footer as buttons.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func cardIsInTheMiddleWithItsButtons(size: Size) throws {
        for (name, state) in try Self.cards() {
            var state = state
            _ = state.take(.resized(size))
            let picture = state.picture()
            let title = try #require(picture.find("╭─ " + state.current.screen.title(in: state.model)), "\(name)")
            let content = try #require(state.currentTraits.box)
            let box = try #require(FloatingBox(in: Frame.body(size), content))
            #expect(box.rect.top == title.top && box.rect.left == title.left, "\(name)")
            let hint = try #require(state.current.screen.keyHints(in: state.model).first)
            let button = try #require(picture.find(" \(Words.capitalized(hint.label)) "), "\(name): \(hint.label)")
            #expect(button.top == box.rect.bottom - 2, "\(name)")
            #expect(picture.style(at: Point(column: 0, row: 1))?.attributes.contains(.dim) == true, "\(name)")
        }
    }

    @Test func clickOnAButtonPressesItsKey() throws {
        var state = try Given.receipt()
        let button = try #require(state.picture().find(" \(Words.capitalized(CommonWords.keyDone)) "))
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: button.origin)))
        #expect(state.opened.isEmpty)
    }

    /// On a small terminal, a card takes all the space.
    @Test(arguments: [Size(columns: 40, rows: 10), Size(columns: 60, rows: 20)])
    func smallTerminalShowsTheTextAlone(size: Size) throws {
        for (name, state) in try Self.cards() { #expect(state.picture(size).find("╭─ " + (state.trail.last ?? "")) == nil, "\(name)") }
    }
}
