internal import CTerminal

/// What the C library, and with it curses, believes about the width of a scalar, in a UTF-8 locale.
enum LibraryWidth {
    /// Nil where it does not know the scalar.
    static func of(_ scalar: Unicode.Scalar) -> Int? {
        let cells = Int(ct_cells(scalar.value))
        return cells < 0 ? nil : cells
    }

    /// Chooses the locale; process-wide.
    static func prepare() { _ = ct_prepare_locale() }
}
