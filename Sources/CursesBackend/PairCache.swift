/// The colour pairs in use. Curses numbers them; this table is bounded, and what finds no place is drawn in the terminal's own colours.
struct PairCache {
    struct Colors: Hashable {
        /// -1 is the terminal's own.
        var foreground: Int32 = -1
        var background: Int32 = -1
    }

    /// More than all themes together need.
    private static let most = 1024

    private var numbers: [Colors: Int32] = [:]
    private let limit: Int

    /// - Parameter available: how many pairs the terminal has, with the one for its own colours.
    init(available: Int) { limit = min(PairCache.most, max(0, available - 1)) }

    /// The pair for `colors`; 0 when there is none left. `define` is called for a new one, and says whether it worked.
    mutating func number(for colors: Colors, define: (Int32, Colors) -> Bool) -> Int32 {
        if colors == Colors() { return 0 }
        if let number = numbers[colors] { return number }
        let next = Int32(numbers.count + 1)
        guard numbers.count < limit, define(next, colors) else { return 0 }
        numbers[colors] = next
        return next
    }
}
