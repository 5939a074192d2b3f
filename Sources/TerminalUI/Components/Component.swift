/// Something that can be drawn into a part of the screen. A component holds no state of its own and draws the same every time.
public protocol Component {
    /// Draws into `rect`, never outside of it.
    func draw(in rect: Rect, of buffer: inout ScreenBuffer)
}
