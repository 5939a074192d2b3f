/// Who starts a sign-in when a tool needs a token and there is no session: `sign_in` in `[providers.NAME]`.
public enum SignInMode: String, Sendable, CaseIterable {
    /// Only the user, with `yett login` or in the app.
    case manual
    /// Also a tool's request, if a user is at a terminal or a desktop.
    case onDemand = "on-demand"
}
