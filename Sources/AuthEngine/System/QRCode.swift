import CLibraries

/// A QR code of a URL that the user opens on a phone.
public struct QRCode: Equatable, Sendable {
    /// The modules, row by row; `true` is dark.
    public let modules: [[Bool]]

    /// Encodes `text`; `nil` if libqrencode is not installed, or the text is too long for any code or contains a NUL.
    public init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var canvas = Canvas()
        let isDrawn = withUnsafeMutablePointer(to: &canvas) { canvas in
            cqrencode_draw(
                text,
                { context, side, isDark in
                    context?.assumingMemoryBound(to: Canvas.self).pointee.add(isDark, side: Int(side))
                }, canvas)
        }
        guard isDrawn else { return nil }
        modules = canvas.rows
    }

    /// Renders the code as text, two rows of modules in one line; `█` is light.
    ///
    /// Draw it in white on black in every theme: QR readers expect light around the code.
    public func lines() -> [String] {
        let (side, quietZone) = (modules.count, Self.quietZone)
        func isLight(_ row: Int, _ column: Int) -> Bool {
            modules.indices.contains(row) && (0..<side).contains(column) ? !modules[row][column] : true
        }
        return stride(from: -quietZone, to: side + quietZone, by: 2).map { row in
            String(
                (-quietZone..<side + quietZone).map { column -> Character in
                    switch (isLight(row, column), isLight(row + 1, column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }

    /// The number of light modules around the code, as ISO/IEC 18004 requires.
    private static let quietZone = 4

    private struct Canvas {
        var rows: [[Bool]] = []

        mutating func add(_ isDark: Bool, side: Int) {
            if rows.last.map({ $0.count == side }) ?? true { rows.append([]) }
            rows[rows.count - 1].append(isDark)
        }
    }
}
