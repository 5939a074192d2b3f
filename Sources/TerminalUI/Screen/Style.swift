/// The semantic style of a cell: a role on a surface. ``Theme/face(for:depth:)`` resolves it to colours.
public struct Style: Hashable, Sendable {
    /// The meaning of the text.
    public var role: Role
    /// The background of the text.
    public var surface: Surface
    /// Attributes in addition to the theme's.
    public var attributes: Attributes

    /// Creates a style.
    public init(_ role: Role = .text, on surface: Surface = .screen, attributes: Attributes = []) {
        self.role = role
        self.surface = surface
        self.attributes = attributes
    }

    /// Ordinary text on the screen.
    public static let plain = Style()

    /// Returns the same style on another surface.
    public func on(_ surface: Surface) -> Style { Style(role, on: surface, attributes: attributes) }

    /// Returns the same style with another role.
    public func with(_ role: Role) -> Style { Style(role, on: surface, attributes: attributes) }

    /// Returns the same style with more attributes.
    public func adding(_ more: Attributes) -> Style { Style(role, on: surface, attributes: attributes.union(more)) }
}

extension Style: CustomStringConvertible {
    /// For tests: `title@panel+bold`.
    public var description: String {
        ([role.rawValue + "@" + surface.rawValue] + attributes.names).joined(separator: "+")
    }
}
