import AuthModel
import TerminalUI

/// What every screen may look at: the facts, as they were last reported.
///
/// Screens read it and never write it; only the root's `update` does.
struct AppModel: Equatable, Sendable {
    /// The time, as of the last tick or message.
    var now: Timestamp
    /// The size of the terminal.
    var size: Size
    /// The signs that the terminal can show.
    var glyphs = GlyphSet.unicode
    /// Whether what is shown are lines that stay where they are.
    var isPlain = false
    /// Whether the mouse is ours, and not the terminal's.
    var usesMouse = true
    /// `nil` until the session service answered.
    var providers: [ProviderSummary]? {
        didSet { spelledNames = Set((providers ?? []).map(\.name.text)) }
    }
    /// The names of the providers, as they are spelled; kept, so that a frame need not gather them.
    private(set) var spelledNames: Set<String> = []
    /// Whether the session service was asked for the providers, and could not say.
    var couldNotRead = false
    /// By name; `nil` until the session service answered.
    var sessions: [SessionSummary]? {
        didSet { nameColumns = sessions?.reduce(0) { max($0, NameInColumns.width(of: $1.name)) } ?? 0 }
    }
    /// The columns of the longest name of a session: those of a list stay where they are while it is filtered and scrolled.
    private(set) var nameColumns = 0
    var seal: SealState
    /// Whether a person has to type something for the store to open.
    var takesPassphrase = true
    /// What happened, the newest last.
    var activity: [Activity] = []
    /// The well-known providers that can be added; `nil` where none can be added from here.
    var presets: [ProviderPresetChoice]?
    /// Whether the demo can be gone to from here.
    var offersDemo = false
    /// Whom to sign in as in the demo; `nil` where this is none.
    var demoAdvice: String?
    /// Names of the themes, in the order `t` goes through them.
    var themes: [String]
    /// The indices of those that write dark on light.
    var lightThemes: Set<Int> = []
    /// The index of the theme in use.
    var theme: Int = 0
    /// Whether guests are asked to sign in.
    var asksGuests: Bool = true
    /// What the app speaks.
    var language = Language.english
    /// What can be settled from here; `nil` where nothing can.
    var settings: SettingsSheet?
    /// Keys that were given to other actions.
    var keys = KeyChanges()
    /// What went wrong before the screen was there, one line each.
    var warnings: [String] = []
    /// Sessions whose renewal was asked for here and has not ended yet.
    var renewing: Set<SessionName> = []

    /// Sessions that are about to be forgotten, the newest last.
    var forgetting: [PendingForget] = []

    /// Lines of activity that are kept.
    static let activityLimit = 2000
    /// Lines of activity that are read from before the app began.
    static let earlierActivityLimit = 500

    /// The name of the theme in use.
    var themeName: String { themes.indices.contains(theme) ? themes[theme] : "" }

    /// Whether the theme in use writes dark on light.
    var hasLightGround: Bool { lightThemes.contains(theme) }

    /// A session by its name.
    func session(_ name: SessionName) -> SessionSummary? { sessions?.first { $0.name == name } }

    /// A provider by its name.
    func provider(_ name: ProviderName) -> ProviderSummary? { providers?.first { $0.name == name } }

    /// Whether several accounts are signed in at a provider, so that its name alone does not say whose session is meant.
    func hasSeveralAccounts(at provider: ProviderName) -> Bool {
        (self.provider(provider)?.accounts.count ?? 0) > 1
    }

    /// Whether the provider's name alone stands for this one of several sessions there.
    func isActive(_ name: SessionName) -> Bool {
        name.account != nil && provider(name.provider)?.activeAccount == name.account
    }

    /// The state of a session as it is shown: a renewal that was asked for here counts.
    func state(of session: SessionSummary) -> SessionState {
        renewing.contains(session.name) ? .renewing : session.state(at: now)
    }

    /// The first session that is only a guest's, where guests are to be asked.
    var guest: SessionSummary? {
        guard asksGuests else { return nil }
        return sessions?.first { $0.settledState == .guest && provider($0.name.provider)?.promptsGuests != false }
    }

    /// The sign-in that is wanted of a session: as its account, or, for a guest's session, as whoever the user is at the provider.
    func signInRequest(for name: SessionName) -> SignInRequest {
        SignInRequest(provider: name.provider, account: session(name)?.isStale == true ? nil : name.account)
    }

    /// Whether the store can be read.
    var isLocked: Bool { seal != .unlocked }
}
