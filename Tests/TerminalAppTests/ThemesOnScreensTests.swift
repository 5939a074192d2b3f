import TerminalUI
import TerminalUITesting
import Testing

@testable import TerminalApp

/// Every screen in every theme that comes with the program.
@Suite struct ThemesOnScreensTests {
    /// What every cell that says something looks like, on every screen.
    private func cells(of theme: Theme, depth: ColorDepth) throws -> [(screen: String, cell: Cell, face: Face)] {
        try Given.everyScreen().flatMap { name, state in
            let picture = state.picture(Size(columns: 160, rows: 40), theme: theme)
            return (0..<picture.size.rows).flatMap { picture.row($0) }.filter { !$0.text.allSatisfy(\.isWhitespace) }.map {
                (name, $0, theme.face(for: $0.style, depth: depth))
            }
        }
    }

    /// WCAG AA for words, AAA in `contrast`; what only ornaments need not be read, but has to be seen.
    @Test(arguments: ShippedThemes.coloured, [ColorDepth.trueColor, .indexed256])
    func everyWordCanBeRead(theme: (name: String, least: Double), depth: ColorDepth) throws {
        let cells = try cells(of: ShippedThemes.theme(theme.name), depth: depth)
        #expect(cells.count > 5000)
        var faint: [Style: String] = [:]
        for (screen, cell, face) in cells {
            let isOrnament = [.border, .barEmpty].contains(cell.style.role)
            let contrast = try #require(face.contrast)
            if contrast < (isOrnament ? 1.5 : theme.least) { faint[cell.style] = "\(screen): \(contrast)" }
        }
        #expect(faint.isEmpty)
    }

    /// With sixteen colours a person's own palette decides about contrast; two equal ones are never put on each other.
    @Test(arguments: ShippedThemes.names)
    func nothingIsInvisibleWithSixteenColours(name: String) throws {
        for (screen, cell, face) in try cells(of: ShippedThemes.theme(name), depth: .ansi16)
        where face.foreground != nil && face.foreground == face.background {
            Issue.record("\(screen): \(cell.text) as \(cell.style)")
        }
    }

    /// Without colours the marked row and the fields are told by attributes.
    @Test(arguments: ShippedThemes.names)
    func marksAreSeenWithoutColours(name: String) throws {
        let cells = try cells(of: ShippedThemes.theme(name), depth: .mono)
        #expect(cells.allSatisfy { $0.face.foreground == nil && $0.face.background == nil })
        let marked = cells.filter { $0.cell.style.surface == .selection }
        #expect(!marked.isEmpty && marked.allSatisfy { $0.face.attributes.contains(.reverse) })
        let typed = cells.filter { $0.cell.style.surface == .field }
        #expect(!typed.isEmpty && typed.allSatisfy { $0.face.attributes.contains(.underline) })
    }
}
