/// A view that draws into a part of the screen. A component has no mutable state and always draws the same.
public protocol Component {
    /// Draws into `rect`, never outside it.
    func draw(in rect: Rect, of buffer: inout ScreenBuffer)
}
