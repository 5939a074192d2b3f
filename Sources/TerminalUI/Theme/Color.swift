/// A colour in sRGB.
public struct Color: Hashable, Sendable {
    /// The red component.
    public let red: UInt8
    /// The green component.
    public let green: UInt8
    /// The blue component.
    public let blue: UInt8

    /// Creates a colour from its components.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from `#rrggbb`; nil for any other format.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#") else { return nil }
        let values = digits.dropFirst().compactMap(Color.digit)
        guard values.count == 6 else { return nil }
        self.init(red: values[0] << 4 | values[1], green: values[2] << 4 | values[3], blue: values[4] << 4 | values[5])
    }

    /// The colour as `#rrggbb`.
    package var hex: String { "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the contrast with another colour by WCAG 2.1: from 1 (none) to 21 (black and white). Text needs 4.5 (AA) or 7 (AAA).
    public func contrast(with other: Color) -> Double {
        let lighter = max(luminance, other.luminance)
        let darker = min(luminance, other.luminance)
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Whether black text on the colour has more contrast than white text.
    package var isLight: Bool {
        contrast(with: Color(red: 0, green: 0, blue: 0)) > contrast(with: Color(red: 255, green: 255, blue: 255))
    }

    /// Relative luminance (WCAG 2.1), 0 to 1.
    var luminance: Double {
        0.2126 * Color.linear(red) + 0.7152 * Color.linear(green) + 0.0722 * Color.linear(blue)
    }

    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        if value <= 0.04045 { return value / 12.92 }
        // Computes the sRGB exponent 2.4 as 2 + 2/5, so that no mathematics library is needed.
        let base = (value + 0.055) / 1.055
        return base * base * fifthRoot(base * base)
    }

    private static func fifthRoot(_ value: Double) -> Double {
        // Newton's method from above: monotone, and converges within a few steps for values up to one.
        var root = 1.0
        for _ in 0..<40 {
            let power = root * root * root * root
            root -= (power * root - value) / (5 * power)
        }
        return root
    }

    /// Returns the colour at a share of the way to another one, from 0 to 1.
    func blended(with other: Color, share: Double) -> Color {
        func mixed(_ from: UInt8, _ to: UInt8) -> UInt8 { UInt8((Double(from) + (Double(to) - Double(from)) * share).rounded()) }
        return Color(red: mixed(red, other.red), green: mixed(green, other.green), blue: mixed(blue, other.blue))
    }

    /// Returns a perceptual difference between two colours, for choosing the nearest of a few.
    func distance(to other: Color) -> Int {
        let red = Int(self.red) - Int(other.red)
        let green = Int(self.green) - Int(other.green)
        let blue = Int(self.blue) - Int(other.blue)
        return 2 * red * red + 4 * green * green + 3 * blue * blue
    }
}

/// A theme colour with its fallbacks for fewer colours.
public struct ThemeColor: Hashable, Sendable {
    /// The 24-bit colour.
    public let trueColor: Color
    /// The number in xterm's palette of 256 colours.
    public let indexed: UInt8
    /// The colour for terminals with sixteen colours.
    public let ansi: AnsiColor

    /// Creates a colour. A missing fallback defaults to the nearest colour.
    public init(_ trueColor: Color, indexed: UInt8? = nil, ansi: AnsiColor? = nil) {
        self.trueColor = trueColor
        self.indexed = indexed ?? IndexedPalette.nearest(to: trueColor)
        self.ansi = ansi ?? IndexedPalette.nearestAnsi(to: trueColor)
    }

    /// Returns the colour `part` of `whole` steps on the way to another colour. The first and the last are the colours themselves.
    func blended(with other: ThemeColor, _ part: Int, of whole: Int) -> ThemeColor {
        if part <= 0 { return self }
        if part >= whole { return other }
        let mixed = trueColor.blended(with: other.trueColor, share: Double(part) / Double(whole))
        return ThemeColor(mixed, ansi: part * 2 < whole ? ansi : other.ansi)
    }

    /// Returns the colour moved towards the ground by steps of 15 percent, fewer if its contrast would fall below 7:1; nil if no step is
    /// possible.
    func faded(by steps: UInt8, on ground: ThemeColor, depth: ColorDepth) -> Face.Value? {
        let floor = depth == .trueColor ? ground.trueColor : IndexedPalette.color(ground.indexed)
        return (0..<Int(steps)).reversed().lazy.map { step -> (shade: Color, value: Face.Value) in
            let blended = trueColor.blended(with: ground.trueColor, share: 0.15 * Double(step + 1))
            guard depth == .indexed256 else { return (shade: blended, value: Face.Value.direct(blended)) }
            let index = IndexedPalette.nearest(to: blended)
            return (shade: IndexedPalette.color(index), value: .indexed(index))
        }.first { $0.shade.contrast(with: floor) >= Self.leastFadedContrast }?.value
    }

    private static let leastFadedContrast = 7.0

    /// Returns the colour with a fallback for sixteen colours that can be read on the ground's: black or white, if its own is too near,
    /// such as red on blue.
    func readable(on ground: ThemeColor?) -> ThemeColor {
        guard let ground = ground?.ansi.shade, ansi.shade.contrast(with: ground) < Self.leastAnsiContrast else { return self }
        let white = AnsiColor.brightWhite
        let isDark = white.shade.contrast(with: ground) > AnsiColor.black.shade.contrast(with: ground)
        return ThemeColor(trueColor, indexed: indexed, ansi: isDark ? white : .black)
    }

    private static let leastAnsiContrast = 3.0

    /// Returns the colour for a terminal of `depth`; nil is the terminal's default.
    public func value(at depth: ColorDepth) -> Face.Value? {
        switch depth {
        case .mono: nil
        case .ansi16: .indexed(ansi.rawValue)
        case .indexed256: .indexed(indexed)
        case .trueColor: .direct(trueColor)
        }
    }
}

/// One of the sixteen colours of every colour terminal; the raw value is the ANSI number.
public enum AnsiColor: UInt8, CaseIterable, Hashable, Sendable {
    /// The dark colours, 0 to 7.
    case black, red, green, yellow, blue, magenta, cyan, white
    /// The bright colours, 8 to 15.
    case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite

    /// The colour's name in a theme file: `bright_red`.
    public var name: String {
        let base = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"][Int(rawValue % 8)]
        return rawValue < 8 ? base : "bright_" + base
    }

    /// Creates a colour from its name in a theme file; nil for an unknown name.
    public init?(name: String) {
        guard let match = AnsiColor.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// The colour's shade in xterm, for finding the nearest one.
    var shade: Color { IndexedPalette.color(rawValue) }
}

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

/// The number of colours to use. The caller decides it, also for `NO_COLOR`: this module reads no environment variable.
public enum ColorDepth: Int, CaseIterable, Hashable, Comparable, Sendable {
    /// No colours: attributes alone carry the meaning.
    case mono
    /// The sixteen ANSI colours, whose shades the user configures.
    case ansi16
    /// The xterm palette.
    case indexed256
    /// 24-bit colours.
    case trueColor

    /// Compares by the number of colours.
    public static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}
