import TerminalUI
import Testing

struct LayoutTests {
    private let area = Rect(column: 2, row: 1, columns: 20, rows: 10)

    @Test func splitsByCellsAndShares() {
        let parts = area.split(rows: [.cells(1), .share(2), .share(1), .cells(1)])
        #expect(parts.map(\.rows) == [1, 5, 3, 1])
        #expect(parts.map(\.top) == [1, 2, 7, 10])
        #expect(area.split(columns: [.cells(4), .rest], gap: 2).map(\.columns) == [4, 14])
    }

    @Test(arguments: 0..<12)
    func splitNeverExceedsTheAvailableRows(rows: Int) {
        let small = Rect(column: 0, row: 0, columns: 3, rows: rows)
        let parts = small.split(rows: [.cells(3), .share(1), .cells(4), .share(3)])
        #expect(parts.reduce(0) { $0 + $1.rows } <= rows)
        #expect(parts.allSatisfy { $0.isEmpty || small.intersection($0) == $0 })
        #expect(small.splitBottom(2).bottom.rows == min(2, rows))
        #expect(small.inset(columns: 5, rows: 5).isEmpty)
    }
}
