package import AuthModel
import TerminalUI

/// The times of a token on one line: positions in proportion, and a label below each.
package struct TimeRuler: Equatable, Sendable {
    /// A time on the ruler.
    package struct Mark: Equatable, Sendable {
        /// The text below the mark.
        package var label: String
        package var at: Timestamp
        /// Whether this is the current time.
        package var isNow: Bool

        package init(_ label: String, at: Timestamp, isNow: Bool = false) {
            self.label = label
            self.at = at
            self.isNow = isNow
        }
    }

    /// A label with its place.
    package struct Label: Equatable, Sendable {
        package var text: String
        /// The first column of the text.
        package var column: Int
        /// The row below the ruler, from 0.
        package var row: Int
        package var isNow: Bool
    }

    package let columns: Int
    /// The columns of the marks, in the order of the times.
    package let marks: [Int]
    /// The column of the current time; nil if it is not on the ruler.
    package let now: Int?
    /// The labels, in the order of the times.
    package let labels: [Label]

    /// Creates a ruler from the first to the last of the times.
    package init(_ times: [Mark], columns: Int) {
        let columns = max(1, columns)
        self.columns = columns
        let times = times.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        let start = times.first?.at ?? Timestamp(milliseconds: 0)
        let span = max(1, Double(((times.last?.at ?? start) - start).wholeMilliseconds))
        let places = times.map { Int((Double(($0.at - start).wholeMilliseconds) / span * Double(columns - 1)).rounded()) }
        marks = places
        now = zip(times, places).first { $0.0.isNow }?.1
        var ends: [Int] = []
        labels = zip(times, places).map { mark, place in
            let width = SafeText.width(of: mark.label)
            // A label is centred below its mark, and stays within the ruler.
            let column = max(0, min(place - width / 2, columns - width))
            let row = ends.firstIndex { $0 < column } ?? ends.endIndex
            if row == ends.endIndex { ends.append(0) }
            ends[row] = column + width
            return Label(text: mark.label, column: column, row: row, isNow: mark.isNow)
        }
    }
}
