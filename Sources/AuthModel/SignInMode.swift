/// Says whether a tool that needs a token may start a sign-in: `sign_in` in `[providers.NAME]`.
public enum SignInMode: String, Sendable, CaseIterable {
    /// Only the user, with `yett login` or in the app.
    case manual
    /// Also a tool's request, if a user is at a terminal or a desktop.
    case onDemand = "on-demand"
}
