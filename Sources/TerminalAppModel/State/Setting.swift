public import AuthModel

/// A setting that the user can change in the app, with its current value.
public struct Setting: Equatable, Sendable {
    /// The identifier of a setting.
    public enum ID: Hashable, Sendable {
        /// The theme.
        case theme
        /// The language.
        case language
        /// Whether guests are asked to sign in.
        case guestPrompt
        /// Whether the app uses the mouse.
        case mouse
        /// ``Motion``.
        case motion
        /// Where the store's key is kept; it applies to a newly created store.
        case seal
        /// The time without a request for the keys after which the agent locks the store.
        case lockAfter
        /// The time without activity after which the agent exits.
        case idleExit
        /// Whether the desktop notifies the user when a session cannot be renewed.
        case notify
        /// Whether the agent gives no token to the program with this path.
        case blockedProgram(String)
        /// The command that opens a provider's pages.
        case browser(ProviderName)
        /// Whether a provider's pages open in a private browser window.
        case isPrivate(ProviderName)
        /// ``AuthModel/TokenPolicy``.
        case policy(ProviderName)
    }

    /// The value of a setting.
    public enum Value: Equatable, Sendable {
        /// A switch.
        case flag(Bool)
        /// One of ``Setting/options``.
        case word(String)
        /// Free text; empty if the setting is not set.
        case text(String)
        /// A time in seconds; nil for never.
        case span(Int64?)
    }

    /// The setting's identifier.
    public var id: ID
    /// The current value.
    public var value: Value
    /// The allowed words, for a word setting.
    public var options: [String]
    /// Whether the configuration sets it; otherwise ``value`` is the default.
    public var isSet: Bool

    /// Creates a setting.
    public init(_ id: ID, _ value: Value, options: [String] = [], isSet: Bool = false) {
        self.id = id
        self.value = value
        self.options = options
        self.isSet = isSet
    }
}
