package import AuthModel
package import Localization
package import TerminalUI

/// The data that every screen reads, as last reported.
///
/// Screens never change it; only the root's `update` does.
package struct AppModel: Equatable, Sendable {
    /// The time of the last tick or message.
    package var now: Timestamp {
        didSet { if !overview.holds(at: now) { updateOverview() } }
    }
    /// The size of the terminal.
    package var size = Size(columns: 80, rows: 24)
    /// The glyphs that the terminal can show.
    package var glyphs = GlyphSet.unicode
    /// Whether the terminal has the keyboard focus. Without it the window may be hidden, so nothing is animated.
    package var hasFocus = true
    /// Whether the app runs as plain prompts.
    package var isPlain = false
    /// Whether the app uses the mouse, instead of the terminal.
    package var usesMouse = true
    /// The providers; nil until the session service has answered.
    package var providers: [ProviderSummary]? {
        didSet { spelledNames = Set((providers ?? []).map(\.name.text)) }
    }
    /// The names of the providers; cached, so that a frame need not collect them.
    package private(set) var spelledNames: Set<String> = []
    /// Whether the last attempt to load the providers failed.
    package var hasLoadFailure = false
    /// The sessions by name; nil until the session service has answered.
    package var sessions: [SessionSummary]? {
        didSet {
            nameColumns = sessions?.reduce(0) { max($0, NameInColumns.width(of: $1.name)) } ?? 0
            updateOverview()
        }
    }
    /// Counts and ends over all sessions, at ``now``.
    package private(set) var overview = SessionOverview()
    /// The width of the longest session name, so that the columns of a list stay in place while it is filtered and scrolled.
    package private(set) var nameColumns = 0
    /// Whether the store is locked, what unlocks it, and how its key is kept.
    package var seal = SealReport(state: .unlocked, needsPassphrase: true)
    /// The activity, the newest last.
    package var activity: [Activity] = []
    /// The running bridges to MCP servers.
    package var bridges = BridgeList()
    /// The presets that can be added; nil if the app cannot add providers.
    package var presets: ServiceChoices?
    /// Whether the app can start the demo.
    package var offersDemo = false
    /// The provider to begin with in the demo; nil outside it.
    package var demoProvider: ProviderName? { demoAdvice == nil ? nil : ProviderName("sandbox") }
    /// Which user to sign in as in the demo; nil outside it.
    package var demoAdvice: String?
    /// The same for the accounts of other users, by their labels.
    package var demoAdviceByAccount: [String: String] = [:]

    /// Returns the advice for a sign-in: that of the account to sign in as.
    func demoAdvice(for request: SignInRequest) -> String? { request.account.flatMap { demoAdviceByAccount[$0] } ?? demoAdvice }
    /// The names of the themes, in the order that `t` selects them.
    package var themes: [String] = []
    /// The description of each theme, by its name.
    package var themeSummaries: [String: String] = [:]
    /// The index of the theme in use.
    package var theme: Int = 0
    /// Whether guests are asked to sign in.
    package var asksGuests: Bool = true
    /// The user's time zone.
    package var localTime = LocalTime.utc
    /// Whether an agent keeps the sessions; otherwise this process does.
    package var usesAgent = false
    /// Whether the connection to the session service was lost.
    package var isServiceGone = false
    /// The amount of motion on the screen.
    package var motion = Motion.off
    /// The language of the app.
    package var language = Language.english
    /// The settings that the app can change; nil if it can change none.
    package var settings: SettingsSheet?
    /// The user's changes to the keys.
    package var keys = KeyChanges()
    package var renewing: Set<SessionName> = [] {
        didSet { if renewing != oldValue { updateOverview() } }
    }

    /// The titles of the entries that were last chosen in the palette, the newest first.
    package private(set) var recentActions: [String] = []
    /// Sessions that were used or renewed a moment ago, with the time at which their rows stop being highlighted.
    package var flashes: [SessionName: Timestamp] = [:]

    /// Sessions waiting to be forgotten, the newest last.
    package var forgetting: [PendingForget] = []

    /// The maximum number of activity entries.
    package static let activityLimit = 2000

    /// The name of the theme in use.
    package var themeName: String { themes.indices.contains(theme) ? themes[theme] : "" }

    /// Creates the state before anything is loaded.
    package init(now: Timestamp, presets: ServiceChoices? = nil) {
        self.now = now
        self.presets = presets
    }

    /// Whether there are sessions.
    package var hasSessions: Bool { sessions?.isEmpty == false }

    /// Whether there is neither a provider nor a session.
    package var hasNothing: Bool { providers?.isEmpty == true && sessions?.isEmpty == true }

    package func session(_ name: SessionName) -> SessionSummary? { sessions?.first { $0.name == name } }

    package func provider(_ name: ProviderName) -> ProviderSummary? { providers?.first { $0.name == name } }

    /// Returns whether a provider has several accounts, so that its name alone does not identify a session.
    package func hasSeveralAccounts(at provider: ProviderName) -> Bool {
        (self.provider(provider)?.accounts.count ?? 0) > 1
    }

    /// Returns whether the sessions of a provider open roles in accounts.
    package func hasRoles(at provider: ProviderName) -> Bool { self.provider(provider)?.hasRoles == true }

    /// Returns whether the session is the provider's default one of several.
    package func isDefault(_ name: SessionName) -> Bool {
        name.account != nil && provider(name.provider)?.defaultAccount == name.account
    }

    /// Whether a provider has several accounts, so that one of them is marked as the default.
    package var hasStars: Bool { providers?.contains { $0.defaultAccount != nil && $0.accounts.count > 1 } ?? false }

    /// Returns the displayed state of a session, which includes a renewal by this app.
    package func state(of session: SessionSummary) -> SessionState {
        renewing.contains(session.name) ? .renewing : session.shownState(at: now)
    }

    /// Computes the overview.
    private mutating func updateOverview() { overview = SessionOverview(sessions ?? [], now: now, state: state) }

    /// The first guest session, if guests are asked to sign in.
    package var guest: SessionSummary? {
        guard asksGuests else { return nil }
        return overview.guests.first { provider($0.name.provider)?.promptsGuests != false }
    }

    /// Returns the request to sign in for a session: with its account, or, for a guest session, without one.
    package func signInRequest(for name: SessionName) -> SignInRequest {
        SignInRequest(provider: name.provider, account: session(name)?.isAnonymousGuest == true ? nil : name.account)
    }

    /// The maximum number of entries to remember.
    private static let recentLimit = 5

    /// Remembers the entry that was chosen in the palette.
    package mutating func recordChoice(of title: String) {
        recentActions = Array(([title] + recentActions.filter { $0 != title }).prefix(Self.recentLimit))
    }

    /// Whether the store is locked.
    package var isLocked: Bool { seal.state != .unlocked }

    /// The reason why an action that needs the unlocked store does not work now; nil if it does.
    var lockObstacle: String? { isLocked ? LockWords.locked : nil }

    /// Whether the agent gives no token to the program with this path.
    package func isBlocked(_ path: String) -> Bool { settings?[.blockedProgram(path)]?.value == .flag(true) }

    /// Adds the activity from before the app started to the activity since then.
    ///
    /// - Parameter earlier: the newest first. Entries from the time of reading may be in both lists.
    package mutating func remember(earlier: [Activity]) {
        var known = activity
        let unknown = earlier.reversed().filter { entry in
            guard let index = known.firstIndex(where: { $0.isSame(as: entry) }) else { return true }
            known.remove(at: index)
            return false
        }
        activity = unknown + activity
    }
}

extension Activity {
    /// Whether both are about the same event. The service and the log of the agent describe the use of a token each in its own way, one
    /// after the other.
    fileprivate func isSame(as other: Activity) -> Bool {
        if self == other { return true }
        guard kind == .issued, other.kind == .issued, session == other.session, let use = TokenUse(of: self) else { return false }
        return use == TokenUse(of: other) && abs((at - other.at).wholeMilliseconds) <= 1000
    }
}

/// A session that is waiting to be forgotten, and can still be restored.
///
/// Nothing is deleted before the time is over: if the program ends before that, the session is kept.
package struct PendingForget: Equatable, Sendable {
    /// The time in which the user can undo it.
    package static let time = Duration.seconds(10)

    package let name: SessionName
    /// The time to forget the session; nil until the first tick, because the app's last known time may be old.
    package var until: Timestamp?
}

/// The amount of movement on the screen: `[ui] motion` in the configuration.
public enum Motion: String, CaseIterable, Equatable, Sendable {
    /// Everything: spinners turn, and the gate lifts after a sign-in.
    case full
    /// No animation. A row still lights up for a moment when its session is used or renewed.
    case reduced
    /// Only times change by themselves.
    case off
}
