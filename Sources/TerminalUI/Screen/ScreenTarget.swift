/// A place of the screen that can be pressed. What draws it says what it means, so that what is seen is what is hit.
public struct ScreenTarget: Hashable, Sendable {
    public enum Meaning: Hashable, Sendable {
        /// The same as a key.
        case key(Key)
        /// A row of the screen's list.
        case row(Int)
        /// A field of the screen's form.
        case field(Int)
    }

    public let rect: Rect
    public let meaning: Meaning
}

extension ScreenBuffer {
    /// Notes what a press on a place means; later notes lie above earlier ones.
    public mutating func mark(_ rect: Rect, as meaning: ScreenTarget.Meaning) {
        guard recordsTargets else { return }
        let seen = rect.intersection(bounds)
        if !seen.isEmpty { targets.append(ScreenTarget(rect: seen, meaning: meaning)) }
    }

    /// What a press at `point` means; nil for nothing.
    public func target(at point: Point) -> ScreenTarget.Meaning? { targets.last { $0.rect.contains(point) }?.meaning }
}
