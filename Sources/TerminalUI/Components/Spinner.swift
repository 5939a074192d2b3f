/// A sign that something goes on. Its picture follows from a time that the state knows; it keeps no clock.
public enum Spinner {
    /// How long a picture stands.
    public static let frameMilliseconds: Int64 = 120

    /// The picture at a time, in milliseconds from any beginning.
    public static func frame(at milliseconds: Int64, glyphs: GlyphSet = .unicode) -> String {
        let pictures = glyphs.spinner
        let step = Int(truncatingIfNeeded: milliseconds / frameMilliseconds)
        return pictures[((step % pictures.count) + pictures.count) % pictures.count]
    }
}
