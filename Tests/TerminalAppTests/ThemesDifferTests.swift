import TestSupport
import Testing

@testable import TerminalApp
@testable import TerminalUI

/// The shipped themes with colours look different from each other, also with 256 colours.
@Suite struct ThemesDifferTests {
    /// How far two themes are apart at least: the mean distance of the grounds plus that of the texts, each from 0 to 442 (black to white).
    ///
    /// A change of 20 is visible in a single cell. With 256 colours the steps of the palette are wider, so the themes are further apart.
    private static let depths: [(depth: ColorDepth, least: Double)] = [(.trueColor, 20), (.indexed256, 60)]

    private static func themes() throws -> [Theme] { try ShippedThemes.coloured.map { try ShippedThemes.theme($0.name) } }

    private static func pairs(_ themes: [Theme]) -> [(Theme, Theme)] {
        themes.indices.flatMap { first in themes[(first + 1)...].map { (themes[first], $0) } }
    }

    private static func distance(_ first: Face.Value?, _ second: Face.Value?) throws -> Double {
        let colors = try [first, second].map { value in
            switch try #require(value) {
            case .indexed(let index): IndexedPalette.color(index)
            case .direct(let color): color
            }
        }
        let parts = [\Color.red, \.green, \.blue].map { Double(colors[0][keyPath: $0]) - Double(colors[1][keyPath: $0]) }
        return parts.map { $0 * $0 }.reduce(0, +).squareRoot()
    }

    /// Returns the faces of the cells of the sessions screen, and whether each cell shows text.
    private static func sessionsScreen(in theme: Theme, depth: ColorDepth) throws -> [(face: Face, hasText: Bool)] {
        let picture = try Given.sessions().picture(Size(columns: 120, rows: 40), theme: theme)
        return (0..<picture.size.rows).flatMap { picture.row($0) }.map { cell in
            (theme.face(for: cell.style, depth: depth), !cell.text.allSatisfy(\.isWhitespace))
        }
    }

    @Test(arguments: depths)
    func sessionsScreenDiffersInEveryPairOfThemes(depth: ColorDepth, least: Double) throws {
        let screens = try Self.themes().map { ($0.name, try Self.sessionsScreen(in: $0, depth: depth)) }
        #expect(screens.count > 5)
        for (index, (name, cells)) in screens.enumerated() {
            for (other, otherCells) in screens[(index + 1)...] {
                let both = Array(zip(cells, otherCells))
                let grounds = try both.map { try Self.distance($0.face.background, $1.face.background) }
                let texts = try both.filter(\.0.hasText).map { try Self.distance($0.face.foreground, $1.face.foreground) }
                #expect(texts.count > 500)
                let difference = grounds.reduce(0, +) / Double(grounds.count) + texts.reduce(0, +) / Double(texts.count)
                #expect(difference >= least, "\(name) and \(other) differ by only \(difference)")
            }
        }
    }

    @Test(arguments: depths)
    func noTwoThemesShareGroundSelectionAndAccent(depth: ColorDepth, least: Double) throws {
        let themes = try Self.themes()
        let marks = themes.map { theme in
            [
                theme.face(for: Style(), depth: depth).background, theme.face(for: Style(on: .selection), depth: depth).background,
                theme.face(for: Style(.accent), depth: depth).foreground,
            ]
        }
        #expect(Set(marks).count == themes.count)
    }

    @Test(arguments: depths)
    func everyGroundIsItsOwn(depth: ColorDepth, least: Double) throws {
        for (first, second) in Self.pairs(try Self.themes()) {
            let distance = try Self.distance(
                first.face(for: Style(), depth: depth).background, second.face(for: Style(), depth: depth).background)
            #expect(distance >= (depth == .trueColor ? 5 : 15), "\(first.name) and \(second.name) have nearly one ground: \(distance)")
        }
    }

    /// A panel of a dark theme has the screen's colour or the next one of its hue; the selection differs from both.
    @Test(arguments: depths)
    func selectionIsVisibleOnScreenAndPanel(depth: ColorDepth, least: Double) throws {
        for theme in try Self.themes() {
            let selection = theme.face(for: Style(on: .selection), depth: depth).background
            for surface in [Surface.screen, .panel] {
                let distance = try Self.distance(selection, theme.face(for: Style(on: surface), depth: depth).background)
                #expect(distance >= 15, "\(theme.name): the selection on \(surface) differs by only \(distance)")
            }
        }
    }

    /// The colours that a user recognizes a theme by: its ground, its header, the selected row, and the accent.
    @Test func recognizableColoursDifferWith256Colours() throws {
        for (first, second) in Self.pairs(try Self.themes()) {
            let surfaces = [Surface.screen, .header, .selection].map { Style(on: $0) }
            var difference = try surfaces.map {
                try Self.distance(
                    first.face(for: $0, depth: .indexed256).background, second.face(for: $0, depth: .indexed256).background)
            }.reduce(0, +)
            difference += try Self.distance(
                first.face(for: Style(.accent), depth: .indexed256).foreground,
                second.face(for: Style(.accent), depth: .indexed256).foreground)
            #expect(difference >= 270, "\(first.name) and \(second.name) differ by only \(difference)")
        }
    }

    @Test func barsAndPanelsAreVisibleWith256Colours() throws {
        for theme in try Self.themes() {
            let ground = theme.face(for: Style(), depth: .indexed256).background
            for surface in [Surface.panel, .header] {
                let distance = try Self.distance(ground, theme.face(for: Style(on: surface), depth: .indexed256).background)
                #expect(distance >= 30, "\(theme.name): \(surface) differs by only \(distance) from the screen")
            }
        }
    }

    /// A selected row looks lit on a dark theme, and tinted on a light one.
    @Test(arguments: depths)
    func selectionIsOnTheTextsSideOfTheGround(depth: ColorDepth, least: Double) throws {
        for theme in try Self.themes() {
            let black = Face.Value.direct(Color(red: 0, green: 0, blue: 0))
            let screen = theme.face(for: Style(), depth: depth)
            let selection = try Self.distance(theme.face(for: Style(on: .selection), depth: depth).background, black)
            let ground = try Self.distance(screen.background, black)
            let text = try Self.distance(screen.foreground, black)
            #expect((selection > ground) == (text > ground), "\(theme.name)")
        }
    }
}
