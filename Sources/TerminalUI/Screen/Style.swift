/// How a cell looks, said by meaning: a role on a surface. ``Theme/face(for:depth:)`` turns it into colours.
public struct Style: Hashable, Sendable {
    public var role: Role
    public var surface: Surface
    /// Attributes in addition to those that the theme gives.
    public var attributes: Attributes

    public init(_ role: Role = .text, on surface: Surface = .screen, attributes: Attributes = []) {
        self.role = role
        self.surface = surface
        self.attributes = attributes
    }

    /// Ordinary text on the screen.
    public static let plain = Style()

    /// The same on another surface.
    public func on(_ surface: Surface) -> Style { Style(role, on: surface, attributes: attributes) }

    /// The same in another role.
    public func with(_ role: Role) -> Style { Style(role, on: surface, attributes: attributes) }

    /// The same with more attributes.
    public func adding(_ more: Attributes) -> Style { Style(role, on: surface, attributes: attributes.union(more)) }
}

extension Style: CustomStringConvertible {
    /// For tests: `title@panel+bold`.
    public var description: String {
        ([role.rawValue + "@" + surface.rawValue] + attributes.names).joined(separator: "+")
    }
}
