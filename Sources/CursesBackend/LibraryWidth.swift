internal import CTerminal

/// The width that the C library, and therefore curses, gives to a scalar, in a UTF-8 locale.
enum LibraryWidth {
    /// Returns the width in cells; nil if the library does not know the scalar.
    static func of(_ scalar: Unicode.Scalar) -> Int? {
        let cells = Int(ct_cells(scalar.value))
        return cells < 0 ? nil : cells
    }

    /// Sets the locale; process-wide.
    static func prepare() { _ = ct_prepare_locale() }
}
