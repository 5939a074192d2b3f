import Testing

@testable import CursesBackend

/// The bytes of a frame, by look instead of by row.
struct ColorOrderedFrameTests {
    /// A screen of rows of letters; a capital letter has the look `31`, any other cell none.
    private func frame(_ rows: [String], changed: [Int]? = nil, end: (row: Int, column: Int) = (0, 0)) -> String {
        let cells = rows.joined().map { ColorOrderedFrame.Cell(text: String($0), look: $0.isUppercase ? "31" : "") }
        let columns = rows[0].count
        let frame = ColorOrderedFrame(changed: changed ?? Array(cells.indices), screen: cells, columns: columns, end: end)
        return String(decoding: frame.bytes, as: UTF8.self).replacing("\u{1B}", with: "^").replacing("\n", with: "↓").replacing(
            "\u{8}", with: "←")
    }

    @Test func textOfOneLookFollowsEachOther() {
        #expect(frame(["aaBBaa", "aaBBaa"]) == "^[1H^[0maa^[2Caa^[2Haa^[2Caa^[1;3H^[31mBB↓←←BB^[1;1H^[39m")
    }

    @Test func movementsAreShort() {
        let rows = ["a         ", "a         "]
        #expect(frame(rows, changed: [0, 9, 10]) == "^[1H^[0ma^[8C ^[2Ha^[1;1H")
        #expect(frame(["Ab   A"], changed: [0, 5], end: (0, 3)) == "^[1H^[0;31mA^[4CA^[1;4H^[39m")
    }

    /// Few unchanged cells of the same look cost less than a movement, and one after the last column has no certain place.
    @Test func unchangedCellsAreWrittenAgainIfThatIsShorter() {
        #expect(frame(["AxxxAA"], changed: [0, 4]) == "^[1H^[0;31mA^[3CA^[1;1H^[39m")
        #expect(frame(["AAAAAA"], changed: [0, 4]) == "^[1H^[0;31mAAAAA^[1;1H^[39m")
        #expect(frame(["AAA", "AAA"], changed: [2, 3]) == "^[1;3H^[0;31mA^[2HA^[1;1H^[39m")
    }
}
