/// A bounded table of colour pairs. Colours without a pair are drawn in the terminal's default colours.
struct PairCache {
    struct Colors: Hashable {
        /// The colour's number; -1 is the terminal's default.
        var foreground: Int32 = -1
        var background: Int32 = -1
    }

    /// The maximum number of pairs: more than all themes together need.
    private static let most = 1024

    private var numbers: [Colors: Int32] = [:]
    private let limit: Int

    /// Creates an empty table.
    ///
    /// - Parameter available: the number of pairs that the terminal has, including the one for its default colours.
    init(available: Int) { limit = min(PairCache.most, max(0, available - 1)) }

    /// Returns the pair for `colors`; 0 if no pair is free. `define` creates a new pair and returns whether it succeeded.
    mutating func number(for colors: Colors, define: (Int32, Colors) -> Bool) -> Int32 {
        if colors == Colors() { return 0 }
        if let number = numbers[colors] { return number }
        let next = Int32(numbers.count + 1)
        guard numbers.count < limit, define(next, colors) else { return 0 }
        numbers[colors] = next
        return next
    }
}
