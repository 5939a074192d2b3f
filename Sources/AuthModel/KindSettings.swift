/// What one kind of provider alone needs to know, read and checked. It is a type of the kind's own; everybody else sees no more of it than
/// this.
public protocol KindSettings: Equatable, Sendable {
    /// The settings under their names in the configuration, usual values included, in the order to show them in.
    var shown: [(name: String, value: JSONValue)] { get }

    /// Whether its sessions are what a backend gave, of which nothing is known but what came along, and not tokens.
    var hasOpaqueSessions: Bool { get }

    /// Whether the person is asked about a server whose certificate is signed by no known authority; else it is refused.
    var asksAboutUntrusted: Bool { get }

    /// What guests are shown; `nil`: the app's own words.
    var guestPrompt: String? { get }
}

extension KindSettings {
    public var hasOpaqueSessions: Bool { false }
    public var asksAboutUntrusted: Bool { false }
    public var guestPrompt: String? { nil }
}

/// Settings of whichever kind, equal where they are of one type and equal there.
struct AnyKindSettings: Equatable, Sendable {
    let settings: any KindSettings

    static func == (one: AnyKindSettings, other: AnyKindSettings) -> Bool { one.settings.isSame(as: other.settings) }
}

extension KindSettings {
    fileprivate func isSame(as other: any KindSettings) -> Bool { (other as? Self) == self }
}
