import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// Every screen in every shipped theme.
@Suite struct ThemesOnScreensTests {
    /// Returns every visible cell of every screen with its face.
    private func cells(of theme: Theme, depth: ColorDepth) throws -> [(screen: String, cell: Cell, face: Face)] {
        try Given.everyScreen().flatMap { name, state in
            let picture = state.picture(Size(columns: 160, rows: 40), theme: theme)
            return (0..<picture.size.rows).flatMap { picture.row($0) }.filter { !$0.text.allSatisfy(\.isWhitespace) }.map {
                (name, $0, theme.face(for: $0.style, depth: depth))
            }
        }
    }

    /// WCAG AA for words, AAA in `contrast`; a bar needs 3:1 (WCAG 1.4.11), and decoration only 1.5:1.
    @Test(arguments: ShippedThemes.coloured, [ColorDepth.trueColor, .indexed256])
    func wordsHaveEnoughContrast(theme: (name: String, least: Double), depth: ColorDepth) throws {
        let cells = try cells(of: ShippedThemes.theme(theme.name), depth: depth)
        #expect(cells.count > 5000)
        var faint: [Style: String] = [:]
        for (screen, cell, face) in cells {
            let isOrnament = [.border, .barEmpty].contains(cell.style.role)
            let contrast = try #require(face.contrast)
            let least = isOrnament ? 1.5 : cell.style.role == .barFilled ? 3 : theme.least
            if contrast < least { faint[cell.style] = "\(screen): \(contrast)" }
        }
        #expect(faint.isEmpty)
    }

    /// With sixteen colours, the user's own palette decides the contrast; foreground and background are never the same.
    @Test(arguments: ShippedThemes.names)
    func nothingIsInvisibleWithSixteenColours(name: String) throws {
        for (screen, cell, face) in try cells(of: ShippedThemes.theme(name), depth: .ansi16)
        where face.foreground != nil && face.foreground == face.background {
            Issue.record("\(screen): \(cell.text) as \(cell.style)")
        }
    }

    /// Red on blue cannot be read: on the selected row, each text has a colour that differs enough from the ground in xterm's palette.
    @Test(arguments: ShippedThemes.coloured.map { $0.name })
    func selectedTextCanBeReadWithSixteenColours(name: String) throws {
        let theme = try ShippedThemes.theme(name)
        func shade(_ value: Face.Value?) throws -> Color {
            guard case .indexed(let index)? = value else { throw Missing() }
            return IndexedPalette.color(index)
        }
        for role in Role.allCases where ![.border, .barEmpty].contains(role) {
            let face = theme.face(for: Style(role, on: .selection), depth: .ansi16)
            let contrast = try shade(face.foreground).contrast(with: shade(face.background))
            #expect(contrast >= 3, "\(role): \(contrast)")
        }
    }

    private struct Missing: Error {}

    /// Without colours, the selected row and the fields are shown by attributes.
    @Test(arguments: ShippedThemes.names)
    func selectionAndFieldsAreVisibleWithoutColours(name: String) throws {
        let cells = try cells(of: ShippedThemes.theme(name), depth: .mono)
        #expect(cells.allSatisfy { $0.face.foreground == nil && $0.face.background == nil })
        let marked = cells.filter { $0.cell.style.surface == .selection }
        #expect(!marked.isEmpty && marked.allSatisfy { $0.face.attributes.contains(.reverse) })
        let typed = cells.filter { $0.cell.style.surface == .field }
        #expect(!typed.isEmpty && typed.allSatisfy { $0.face.attributes.contains(.underline) })
    }

    /// Terminals paint dim and bold reversed cells in other shades, so a selected row would have patches.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40)])
    func selectedRowsAndHeadersAreEvenWithoutColours(size: Size) throws {
        let themes = try ShippedThemes.names.map { try ShippedThemes.theme($0) }
        var count = 0
        for (screen, state) in try Given.everyScreen() {
            let picture = state.picture(size)
            for row in 0..<size.rows {
                let selected = Set(picture.row(row).map(\.style).filter { $0.surface == .selection })
                let header = Set(picture.row(row).map(\.style).filter { $0.surface == .header })
                count += selected.count
                for theme in themes {
                    let weights = Set(selected.map { theme.face(for: $0, depth: .mono).attributes.intersection([.bold, .dim, .reverse]) })
                    #expect(weights.count <= 1, "\(theme.name), \(screen), row \(row): \(weights)")
                    let isDim = header.contains { theme.face(for: $0, depth: .mono).attributes.contains(.dim) }
                    #expect(!isDim, "\(theme.name), \(screen): the header")
                }
            }
        }
        #expect(count > 60)
    }

    /// Without colours, the glyphs alone show how far a bar is filled.
    @Test(arguments: [GlyphSet.unicode, .ascii])
    func barsShowTheirShareWithoutColours(glyphs: GlyphSet) {
        let bars = [0.1, 0.5, 0.9].map { share in
            var buffer = ScreenBuffer(size: Size(columns: 12, rows: 1), glyphs: glyphs)
            buffer.draw(Bar(share), in: buffer.bounds)
            return buffer.text
        }
        #expect(Set(bars).count == 3)
    }
}
