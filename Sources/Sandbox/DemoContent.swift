package import AuthModel

/// What `yett demo`, the tour and the pictures of the documentation show: the providers, their sessions, and a day of history.
package enum DemoContent {
    /// A provider of the demo: one client of the OpenID provider, and the users whose sessions are opened there.
    package struct Place: Sendable {
        /// The provider's name.
        package let name: String
        /// The lifetimes of its tokens.
        package let lifetimes: SandboxClient.Lifetimes
        /// The user names, each of which is the account's label too.
        package let users: [String]
        /// Who may use its tokens.
        package var policy: TokenPolicy = .allow
    }

    /// An entry of the history.
    package struct Event: Sendable {
        /// The time between the event and the start of the demo.
        package let ago: Duration
        /// `PROVIDER/ACCOUNT`.
        package let session: String
        /// The program that used the token; `nil` for a renewal.
        package let program: String?
        /// The number of uses.
        package let count: Int
    }

    private static let month = Duration.seconds(30 * 86_400)

    /// The providers, in the order of the configuration.
    package static let places = [
        Place(name: "code", lifetimes: .init(accessToken: .seconds(28_800), refreshToken: month), users: ["ada", "grace"]),
        Place(name: "cluster", lifetimes: .init(accessToken: .seconds(3600), refreshToken: month), users: ["ada", "linus"]),
        Place(name: "registry", lifetimes: .init(accessToken: .seconds(43_200), refreshToken: month), users: ["ada"]),
        Place(name: "mail", lifetimes: .init(accessToken: .seconds(1800), refreshToken: month), users: ["chihiro"]),
        // They are renewed while the user looks.
        Place(name: "work", lifetimes: .init(accessToken: .seconds(90), refreshToken: month), users: ["ada", "grace"]),
        Place(name: "vault", lifetimes: .init(accessToken: .seconds(900), refreshToken: month), users: ["ada"], policy: .ask),
        // Ends at once, and has nothing to renew it with.
        Place(name: "staging", lifetimes: .init(accessToken: .seconds(1), refreshToken: nil), users: ["linus"]),
        // Its renewal is refused.
        Place(name: "billing", lifetimes: .init(accessToken: .seconds(600), refreshToken: .zero), users: ["grace"]),
    ]

    /// The session whose renewal is tried at the start, and refused, as by a provider whose administrator ended it.
    package static let refused = "billing/grace"

    /// The tokens that are issued at the start: `PROVIDER/ACCOUNT` and program.
    package static let uses: [(session: String, program: String)] = [
        ("code/ada", "git"), ("cluster/ada", "kubectl"), ("registry/ada", "docker"), ("mail/chihiro", "curl"),
    ]

    /// A day of uses by the tools that most users have, and of renewals; the oldest first.
    package static let history = (issued + renewed).sorted { $0.ago > $1.ago }

    private static let issued =
        hours([0.4, 1.2, 2.6, 3.1, 5.7, 7.4, 20.3, 22.1], "code/ada", "git", count: 3)
        + hours([0.2, 0.9, 1.8, 2.2, 4.6, 6.3, 21.5], "cluster/ada", "kubectl", count: 12)
        + hours([1.5, 4.1, 8.2, 19.8], "registry/ada", "docker", count: 2)
        + hours([0.7, 3.6, 6.9, 18.4, 23.2], "mail/chihiro", "curl") + hours([2.9, 5.2], "cluster/linus", "kubectl", count: 4)
        + hours([3.3, 9.1], "code/grace", "git")
    private static let renewed =
        hours([0.8, 1.8, 2.8, 3.8, 4.8, 5.8, 6.8], "cluster/ada", nil) + hours([7.5, 15.5, 23.5], "code/ada", nil)
        + hours([11.6, 23.6], "registry/ada", nil)

    private static func hours(_ hours: [Double], _ session: String, _ program: String?, count: Int = 1) -> [Event] {
        hours.map { Event(ago: .milliseconds(Int64($0 * 3_600_000)), session: session, program: program, count: count) }
    }
}
