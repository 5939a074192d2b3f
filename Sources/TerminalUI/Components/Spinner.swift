/// An activity indicator. Its frame depends only on a given time; it reads no clock.
public enum Spinner {
    /// The duration of a frame in milliseconds.
    public static let frameMilliseconds: Int64 = 120

    /// Returns the frame for a time, in milliseconds from any origin.
    public static func frame(at milliseconds: Int64, glyphs: GlyphSet = .unicode) -> String {
        let pictures = glyphs.spinner
        let step = Int(truncatingIfNeeded: milliseconds / frameMilliseconds)
        return pictures[((step % pictures.count) + pictures.count) % pictures.count]
    }
}
