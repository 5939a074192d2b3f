/// A well-known service, or one of the ways to use it, as the form offers it. Its texts are data in English.
public struct ProviderPresetChoice: Equatable, Sendable {
    /// Something that only the user knows.
    public struct Question: Equatable, Sendable {
        /// A noun phrase that completes "enter".
        public var what: String
        /// An example.
        public var example: String
        /// The default value; nil if an answer is required.
        public var fallback: String?
        /// The label in the form; nil for the user's place at the service.
        public var label: String?

        /// Creates a question.
        public init(what: String, example: String, fallback: String? = nil, label: String? = nil) {
            self.what = what
            self.example = example
            self.fallback = fallback
            self.label = label
        }
    }

    /// How the client at the service comes about.
    public enum Client: Equatable, Sendable {
        /// The user registers one.
        case given
        /// Yett registers one, unless the user has one.
        case registered
        /// The service names it at each sign-in.
        case namedByProvider
    }

    /// Whether the service has client secrets.
    public enum Secret: Equatable, Sendable {
        case none, optional, required
    }

    /// The preset's name.
    public var name: String
    /// The preset's mode; nil if it has only one.
    public var mode: String?
    /// The service's name, as the service writes it.
    public var title: String
    /// What the service is, or what the mode does.
    public var summary: String
    /// More words that find the choice.
    public var aliases: [String] = []
    /// The user's place at the service; nil if the service has one address for all users.
    public var place: Question?
    /// More settings that only the user knows.
    public var settings: [Question] = []
    /// Whether the service does not redirect to this machine, so that the user names a page of their own.
    public var needsPage = false
    /// How the client comes about.
    public var client = Client.given
    /// Whether the service has client secrets.
    public var secret = Secret.none
    /// The page where a user registers a client; may contain `{place}`.
    public var page: String?
    /// How a user registers a client, in sentences; may contain `{place}` and `{redirect}`.
    public var steps: [String] = []
    /// The redirect addresses to register.
    public var redirects: [String] = []

    /// Creates a choice.
    public init(name: String, title: String, summary: String) {
        self.name = name
        self.title = title
        self.summary = summary
    }

    /// Returns a text of the choice with the user's place and redirect address in it; an empty one is replaced by an example.
    package func filled(_ text: String, place: String, page: String) -> String {
        var place = place.isEmpty ? self.place?.fallback ?? self.place?.example ?? "" : place
        if let scheme = place.firstRange(of: "://") { place = String(place[scheme.upperBound...]) }
        let redirect = !needsPage ? redirects.joined(separator: ", ") : page.isEmpty ? "https://www.example.org/callback" : page
        return text.replacing("{place}", with: place).replacing("{redirect}", with: redirect)
    }
}

/// The well-known services that the form offers. They are read when the form opens, so that the app's start does not wait for them.
public final class ServiceChoices: Equatable, Sendable {
    private let read: @Sendable () -> [ProviderPresetChoice]

    /// Creates the list.
    public init(_ read: @escaping @Sendable () -> [ProviderPresetChoice]) { self.read = read }

    /// The services.
    public var all: [ProviderPresetChoice] { read() }

    /// Returns whether both are the same list.
    public static func == (left: ServiceChoices, right: ServiceChoices) -> Bool { left === right }
}
