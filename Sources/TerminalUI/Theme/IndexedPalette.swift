/// The 256 colours of xterm: sixteen ANSI colours, a 6×6×6 cube, and 24 greys.
package enum IndexedPalette {
    private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
    private static let first: [(UInt8, UInt8, UInt8)] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
        (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    /// Returns the colour of a number. Users may change the first sixteen.
    package static func color(_ index: UInt8) -> Color {
        switch index {
        case 0..<16:
            let shade = first[Int(index)]
            return Color(red: shade.0, green: shade.1, blue: shade.2)
        case 16..<232:
            let place = Int(index) - 16
            return Color(red: steps[place / 36], green: steps[place / 6 % 6], blue: steps[place % 6])
        default:
            let grey = 8 + (index - 232) * 10
            return Color(red: grey, green: grey, blue: grey)
        }
    }

    /// Returns the nearest colour of the cube and the greys. The first sixteen are excluded, because users change them.
    static func nearest(to color: Color) -> UInt8 {
        (16...255).min { self.color($0).distance(to: color) < self.color($1).distance(to: color) } ?? 16
    }

    static func nearestAnsi(to color: Color) -> AnsiColor {
        AnsiColor.allCases.min { $0.shade.distance(to: color) < $1.shade.distance(to: color) } ?? .white
    }
}

extension AnsiColor {
    /// The colour's shade in xterm, for finding the nearest one.
    var shade: Color { IndexedPalette.color(rawValue) }
}
