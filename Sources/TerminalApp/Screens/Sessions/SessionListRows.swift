import AuthModel
import TerminalUI

/// The lines of the list: a title above each group of sessions if some need the user or will, and a line for each session.
struct SessionListRows {
    /// The groups of the default order, from the top.
    enum Group: Int, CaseIterable {
        /// The sessions that need the user.
        case urgent
        /// The sessions that end and cannot renew.
        case ending
        /// All others.
        case working
    }

    /// The number of lines with the titles.
    let count: Int
    /// The numbers of sessions in the groups; empty without titles, for a list in another order or on a terminal that is too small.
    private let counts: [Int]

    /// The minimum number of rows of the body for titles.
    private static let minimumRows = 16

    init(_ screen: SessionsScreen, in model: AppModel) {
        let isHigh = Frame.bodySize(model.size).rows >= Self.minimumRows && !model.isPlain
        let hasTitles = isHigh && screen.urgent + screen.ending > 0
        counts = hasTitles ? [screen.urgent, screen.ending, screen.matches.count - screen.urgent - screen.ending] : []
        count = screen.matches.count + counts.count { $0 > 0 }
    }

    /// Returns the number of titles of a list of all sessions.
    static func titles(in overview: SessionOverview) -> Int {
        let (urgent, ending) = (overview.needsAction, overview.ending)
        guard urgent + ending > 0 else { return 0 }
        return [urgent, ending, overview.count - urgent - ending].count { $0 > 0 }
    }

    /// Returns the number of sessions in a group.
    func count(of group: Group) -> Int { counts.isEmpty ? 0 : counts[group.rawValue] }

    /// Returns the row of the list at a line; nil for a title.
    func row(at line: Int) -> Int? {
        guard !counts.isEmpty else { return line }
        let (group, top) = place(of: line)
        return line == top ? nil : line - 1 - titles(above: group)
    }

    /// Returns the line of a row.
    func index(of row: Int) -> Int {
        guard !counts.isEmpty else { return row }
        var end = 0
        for group in Group.allCases {
            end += counts[group.rawValue]
            if row < end { return row + 1 + titles(above: group) }
        }
        return row
    }

    /// Returns the group that a line belongs to.
    func group(at line: Int) -> Group { counts.isEmpty ? .working : place(of: line).group }

    /// Returns the group of a line, and the line of its title.
    private func place(of line: Int) -> (group: Group, top: Int) {
        var top = 0
        for group in Group.allCases where counts[group.rawValue] > 0 {
            let next = top + 1 + counts[group.rawValue]
            if line < next { return (group, top) }
            top = next
        }
        return (.working, top)
    }

    private func titles(above group: Group) -> Int { counts.prefix(group.rawValue).count { $0 > 0 } }
}
