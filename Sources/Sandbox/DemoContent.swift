package import AuthModel

/// The content of `yett demo`, of the tour and of the pictures in the documentation: the providers, their sessions, and some days of
/// history.
///
/// The demo opens the sessions, renews them and issues tokens at these times of the test provider's own clock.
package enum DemoContent {
    /// A provider of the demo, and the users whose sessions are opened there: one client of the OpenID provider, or AWS IAM Identity
    /// Center.
    package struct Place: Sendable {
        /// The provider's name.
        package let name: String
        /// The lifetimes of its tokens.
        package let lifetimes: SandboxClient.Lifetimes
        /// The sign-ins.
        package let signIns: [SignIn]
        /// The policy for its tokens.
        package var policy: TokenPolicy = .allow
        /// The vendor whose system it is; `nil` for the OpenID provider.
        package var vendor: Vendor?

        /// The user names, each of which is the account's label too.
        package var users: [String] { signIns.map(\.user) }
    }

    /// The sign-in of a user.
    package struct SignIn: Sendable {
        package let user: String
        /// The time between the sign-in and the start of the demo.
        package let ago: Duration
    }

    /// A renewal, or a use of tokens.
    package struct Event: Sendable {
        /// The time between the event and the start of the demo.
        package let ago: Duration
        /// `PROVIDER/ACCOUNT`.
        package let session: String
        /// The program that used the token; `nil` for a renewal.
        package let program: String?
        /// The number of uses.
        package var count = 1
        /// The role whose credentials the program used in place of the token.
        package var role: AccountRole?
    }

    private static let month = Duration.seconds(30 * 86_400)

    /// The providers, in the order of the configuration.
    package static let places = [
        Place(name: "code", lifetimes: .init(accessToken: hours(8), refreshToken: month), signIns: signIns(("ada", 73.2), ("grace", 26.3))),
        Place(
            name: "cluster", lifetimes: .init(accessToken: hours(1), refreshToken: month), signIns: signIns(("ada", 73.1), ("linus", 5.3))),
        Place(name: "registry", lifetimes: .init(accessToken: hours(12), refreshToken: month), signIns: signIns(("ada", 52.7))),
        Place(name: "mail", lifetimes: .init(accessToken: hours(0.5), refreshToken: month), signIns: signIns(("chihiro", 30.4))),
        // They are renewed while the user looks.
        Place(
            name: "work", lifetimes: .init(accessToken: .seconds(90), refreshToken: month), signIns: signIns(("ada", 6.1), ("grace", 0.65))),
        Place(
            name: "vault", lifetimes: .init(accessToken: hours(0.25), refreshToken: month), signIns: signIns(("ada", 0.07)), policy: .ask),
        // Has ended, and there is nothing to renew it with.
        Place(name: "staging", lifetimes: .init(accessToken: hours(0.5), refreshToken: nil), signIns: signIns(("linus", 0.85))),
        // Its renewal is refused.
        Place(name: "billing", lifetimes: .init(accessToken: hours(0.1), refreshToken: .zero), signIns: signIns(("grace", 3.4))),
        // One sign-in in the morning opens several accounts and roles. The lifetime is that of the vendor's system.
        Place(
            name: "aws", lifetimes: .init(accessToken: hours(1), refreshToken: month), signIns: signIns(("ada", 3.2)), vendor: .awsSSO),
    ]

    /// The session whose renewal is refused, as by a provider whose administrator ended it.
    package static let refused = "billing/grace"

    /// The tokens that are issued.
    package static let uses = [
        use(0.7, "code/grace", "git"), use(0.45, "registry/ada", "docker"), use(0.28, "cluster/linus", "kubectl"),
        use(0.1, "mail/chihiro", "curl"), use(0.06, "code/ada", "git"), use(0.02, "cluster/ada", "kubectl"),
        use(0.05, "aws/ada", "aws", role: reader), use(0.5, "aws/ada", "terraform", role: administrator),
    ]

    /// The roles of AWS that are used: one in the accounts `production` and `development` each.
    private static let reader = AccountRole(account: "000000000001", role: "ReadOnlyAccess")
    private static let administrator = AccountRole(account: "000000000003", role: "AdministratorAccess")

    /// The last renewal of each session.
    package static let renewals = [
        use(7.5, "code/ada"), use(2.2, "code/grace"), use(0.8, "cluster/ada"), use(0.35, "cluster/linus"), use(4.6, "registry/ada"),
        use(0.15, "mail/chihiro"), use(0.6, "aws/ada"), use(0.008, "work/ada"), use(0.002, "work/grace"), use(3.2, refused),
    ]

    /// The uses by the tools that most users have, and the renewals before the last one, which are only in the log; the oldest first.
    package static let history = (issued + renewed).sorted { $0.ago > $1.ago }

    private static let issued =
        events([0.4, 1.2, 2.6, 3.1, 4.7, 5.7, 6.2, 7.4, 20.3, 22.1, 46.5], "code/ada", "git", counts: [3, 5, 2, 6, 1, 4, 2])
        + events([0.2, 0.9, 1.8, 2.2, 3.4, 4.6, 5.1, 6.3, 7.9, 21.5, 45.2], "cluster/ada", "kubectl", counts: [6, 12, 9, 4, 14, 8, 3, 10])
        + events([1.5, 4.1, 6.6, 8.2, 19.8], "registry/ada", "docker", counts: [2, 4, 1])
        + events([0.7, 3.6, 6.9, 11.3, 15.3, 18.4, 23.2, 28.1], "mail/chihiro", "curl")
        + events([2.9, 5.2], "cluster/linus", "kubectl", counts: [4]) + events([3.3, 9.1], "code/grace", "git")
        + events([0.8, 1.7, 2.4, 3.1], "aws/ada", "aws", counts: [4, 9, 3, 1], role: reader)
        + events([1.1, 2.7], "aws/ada", "terraform", counts: [2, 3], role: administrator)
    private static let renewed =
        events([1.8, 2.8, 3.8, 4.8, 5.8, 6.8], "cluster/ada", nil) + events([15.5, 23.5], "code/ada", nil)
        + events([10.1, 18.2], "code/grace", nil) + events([16.4, 28.3], "registry/ada", nil)
        + events([1.3, 2.3, 3.3, 4.3], "cluster/linus", nil) + events([1.4, 2.3], "aws/ada", nil)

    private static func hours(_ hours: Double) -> Duration { .seconds(Int64(hours * 3600)) }

    private static func signIns(_ signIns: (user: String, hours: Double)...) -> [SignIn] {
        signIns.map { SignIn(user: $0.user, ago: hours($0.hours)) }
    }

    private static func use(_ ago: Double, _ session: String, _ program: String? = nil, role: AccountRole? = nil) -> Event {
        Event(ago: hours(ago), session: session, program: program, role: role)
    }

    /// - Parameter counts: the uses of each event, again and again.
    private static func events(
        _ times: [Double], _ session: String, _ program: String?, counts: [Int] = [1], role: AccountRole? = nil
    ) -> [Event] {
        times.enumerated().map { index, time in
            Event(ago: hours(time), session: session, program: program, count: counts[index % counts.count], role: role)
        }
    }
}
