/// The position of text within a wider space.
public enum Alignment: Hashable, Sendable {
    /// The three alignments.
    case left, centre, right

    func offset(of width: Int, in columns: Int) -> Int {
        switch self {
        case .left: 0
        case .centre: max(0, columns - width) / 2
        case .right: max(0, columns - width)
        }
    }
}
