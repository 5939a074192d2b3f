/// The validated settings that only one provider kind uses. Each kind defines its own type; other modules use it only through this
/// protocol.
public protocol KindSettings: Equatable, Sendable {
    /// The settings by their configuration names, including defaults, in display order.
    var shown: [(name: String, value: JSONValue)] { get }

    /// Whether its sessions are opaque backend sessions instead of tokens. Only the data that came with such a session is known.
    var hasOpaqueSessions: Bool { get }

    /// Whether the user may accept a server certificate that no known authority signed. If false, such a certificate is refused.
    var confirmsUntrustedCertificates: Bool { get }

    /// The text shown to guests; `nil` for the app's default text.
    var guestPrompt: String? { get }
}

extension KindSettings {
    /// Default: false.
    public var hasOpaqueSessions: Bool { false }
    /// Default: false.
    public var confirmsUntrustedCertificates: Bool { false }
    /// Default: `nil`.
    public var guestPrompt: String? { nil }
}

/// Settings of any kind. Two values are equal if they have the same type and are equal as that type.
struct AnyKindSettings: Equatable, Sendable {
    let settings: any KindSettings

    static func == (one: AnyKindSettings, other: AnyKindSettings) -> Bool { one.settings.isSame(as: other.settings) }
}

extension KindSettings {
    fileprivate func isSame(as other: any KindSettings) -> Bool { (other as? Self) == self }
}
