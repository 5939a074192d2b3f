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

    /// Returns a perceptual difference between two colours, for choosing the nearest of a few.
    func distance(to other: Color) -> Int {
        let red = Int(self.red) - Int(other.red)
        let green = Int(self.green) - Int(other.green)
        let blue = Int(self.blue) - Int(other.blue)
        return 2 * red * red + 4 * green * green + 3 * blue * blue
    }
}
