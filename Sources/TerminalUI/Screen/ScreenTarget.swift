/// A part of the screen that can be clicked. The code that draws it sets its meaning, so that the visible area is the clickable one.
public struct ScreenTarget: Hashable, Sendable {
    /// The meaning of a click.
    public enum Meaning: Hashable, Sendable {
        /// Works as this key.
        case key(Key)
        /// A row of the screen's list.
        case row(Int)
        /// A field of the screen's form.
        case field(Int)
        /// Another part of the screen, by a number of the screen's own.
        case part(Int)
        /// The title of an open screen, by its index in the path.
        case title(Int)
    }

    /// The visible part of the area.
    public let rect: Rect
    /// The meaning of a click on it.
    public let meaning: Meaning
}

extension ScreenBuffer {
    /// Records the meaning of a click on an area; later areas lie above earlier ones.
    public mutating func mark(_ rect: Rect, as meaning: ScreenTarget.Meaning) {
        guard recordsTargets else { return }
        let seen = rect.intersection(bounds)
        if !seen.isEmpty { targets.append(ScreenTarget(rect: seen, meaning: meaning)) }
    }

    /// Forgets all recorded areas, because something else is drawn above them.
    public mutating func forgetTargets() { targets = [] }

    /// Returns the meaning of a click at `point`; nil for none.
    public func target(at point: Point) -> ScreenTarget.Meaning? { targets.last { $0.rect.contains(point) }?.meaning }
}
