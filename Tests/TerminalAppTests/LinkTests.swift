import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

// One terminal at a time can be open in a process: both suites open one.
extension PicturesTests {
    /// A click opens what the app itself would open, and nothing else.
    @Suite struct LinkTests {
        private static let theme = Theme.uncoloured

        /// Returns the text of the links on a screen, by their addresses.
        private func links(_ state: AppState, _ size: Size) -> [String: String] {
            var links: [String: String] = [:]
            let buffer = state.picture(size)
            for row in 0..<size.rows {
                for cell in buffer.row(row) {
                    if let link = cell.link { links[link.text, default: ""] += cell.text }
                }
            }
            return links
        }

        @Test(arguments: [30, 80, 120, 200])
        func signInURLIsOneLinkAtAnyWidth(columns: Int) throws {
            let state = try Given.signingIn()
            let url = try Sample.url().text
            let size = Size(columns: columns, rows: 40)
            #expect(Array(links(state, size).keys) == [url])
            // Whole on its own page: every row of it is the same link.
            #expect(links(Given.pressed(state, .character("w")), size) == [url: url])
        }

        @Test func verificationPageIsALink() throws {
            let links = links(try Given.signInMethods(), Size(columns: 80, rows: 40))
            #expect(links["https://id.example.org/device"] == "https://id.example.org/device")
        }

        /// Claims, issuers, hosts and messages are other people's text.
        @Test func onlyScreensWithAPageToOpenHaveLinks() throws {
            let pages = ["signing in", "QR code", "receipt with a page", "next step", "add a service"]
            for (name, state) in try Given.everyScreen() {
                guard !pages.contains(where: name.hasPrefix) else { continue }
                for size in [Size(columns: 80, rows: 24), Size(columns: 200, rows: 60)] {
                    #expect(links(state, size).isEmpty, "\(name): \(links(state, size).keys.sorted())")
                }
            }
        }

        /// The terminal gets the links of exactly these cells, which look as they do without links.
        @Test(arguments: [ColorDepth.mono, .trueColor]) func terminalGetsTheLinksOfTheScreen(depth: ColorDepth) async throws {
            let theme = try ShippedThemes.theme(ShippedThemes.names[0])
            let size = Size(columns: 80, rows: 24)
            let page = try Given.signingIn()
            let whole = Given.pressed(page, .character("w")).picture(size, theme: theme)
            let first = page.picture(size, theme: theme)
            for (buffer, before) in [(first, []), (whole, [first]), (first, [first, whole])] {
                let linked = try await TerminalBytes.shown(buffer, after: before, theme: theme, depth: depth)
                let plain = try await TerminalBytes.shown(buffer, after: before, theme: theme, depth: depth, showsLinks: false)
                var seen = 0
                for (row, cells) in linked.rows.enumerated() {
                    for (column, cell) in cells.enumerated() {
                        let drawn = try #require(buffer.cell(at: Point(column: column, row: row)))
                        #expect(cell.link == drawn.link?.text, "row \(row), column \(column)")
                        let other = plain.rows[row][column]
                        #expect(cell.text == other.text && cell.face.background == other.face.background && other.link == nil)
                        // A space looks the same in every colour of text.
                        #expect(cell.text == " " || cell.face == other.face)
                        seen += cell.link == nil ? 0 : 1
                    }
                }
                #expect(seen > 0)
            }
        }
    }
}
