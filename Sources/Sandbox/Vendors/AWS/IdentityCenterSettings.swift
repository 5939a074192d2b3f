/// The settings of AWS IAM Identity Center: its sign-in service, its portal, and the sign-in to the AWS console.
public struct IdentityCenterSettings: VendorSettings {
    /// The lifetime of a user's session, after which no token of it can be renewed.
    public var sessionLifetime: Duration = .seconds(28_800)
    /// The lifetime of an access token.
    public var accessLifetime: Duration = .seconds(3600)
    /// The lifetime of a client registration.
    public var registrationLifetime: Duration = .seconds(90 * 86_400)
    /// The lifetime of a role's credentials.
    public var roleLifetime: Duration = .seconds(3600)
    /// Whether a sign-in yields a refresh token.
    public var issuesRefreshTokens = true
    /// Whether a renewal replaces the refresh token.
    public var rotatesRefreshTokens = true
    /// Whether the user denies the sign-in.
    public var deniesSignIn = false
    /// The pause between two polls of a device.
    public var pollInterval: Duration = .seconds(1)
    /// The number of polls to answer with `slow_down`.
    public var slowDowns = 0
    /// The number of portal requests to answer with `TooManyRequestsException`; -1 for all.
    public var throttles = 0
    /// The number of portal requests to answer with status 500.
    public var portalErrors = 0
    /// Whether all sessions are revoked, as by an administrator.
    public var revokesSessions = false
    /// The error with which every renewal is refused, although its grant is valid; empty for none.
    public var renewalFault = ""
    /// The number of accounts of each user.
    public var accountCount = 3
    /// The roles in each account.
    public var roles = ["AdministratorAccess", "ReadOnlyAccess"]
    /// Roles that were taken away: `ACCOUNT/ROLE`.
    public var removedRoles: [String] = []
    /// Accounts that are still listed, although they went away.
    public var removedAccounts: [String] = []
    /// The maximum number of entries on one page of a list.
    public var pageSize = 100

    /// Creates the default settings.
    public init() {}

    /// The vendor of these settings.
    public static let vendor = Vendor.awsSSO

    /// The settings by their names.
    public static let sandboxSettings: [SandboxSetting<IdentityCenterSettings>] = [
        .seconds("session_lifetime", \.sessionLifetime, "the lifetime of a user's session, in seconds"),
        .seconds("access_lifetime", \.accessLifetime, "the lifetime of an access token, in seconds"),
        .seconds("registration_lifetime", \.registrationLifetime, "the lifetime of a client registration, in seconds"),
        .seconds("role_lifetime", \.roleLifetime, "the lifetime of a role's credentials, in seconds"),
        .flag("gives_refresh_tokens", \.issuesRefreshTokens, "whether a sign-in yields a refresh token"),
        .flag("rotates_refresh_tokens", \.rotatesRefreshTokens, "whether a renewal replaces the refresh token"),
        .flag("denies_sign_in", \.deniesSignIn, "whether the user denies the sign-in"),
        .seconds("poll_interval", \.pollInterval, "the pause between two polls of a device, in seconds"),
        .number("slow_downs", \.slowDowns, "the number of polls to answer with slow_down"),
        .number(
            "throttles", \.throttles, "the number of portal requests to answer with TooManyRequestsException; -1 for all",
            within: -1...Int.max),
        .number("portal_errors", \.portalErrors, "the number of portal requests to answer with status 500"),
        .flag("revokes_sessions", \.revokesSessions, "whether all sessions are revoked"),
        .text(
            "renewal_fault", \.renewalFault,
            "the error that refuses renewals of valid grants: region, kms_access, kms_request or throttling; empty for none"),
        .number("accounts", \.accountCount, "the number of accounts of each user", within: 0...10_000),
        .texts("roles", \.roles, "the roles in each account"),
        .texts("removed_roles", \.removedRoles, "roles that were taken away: ACCOUNT/ROLE"),
        .texts("removed_accounts", \.removedAccounts, "accounts that are still listed, although they went away"),
        .number("page_size", \.pageSize, "the maximum number of entries on one page of a list", within: 1...100),
    ]

    /// Returns the system's routes on a server.
    public static func makeRoutes(on serverState: VendorServerState<IdentityCenterSettings>) throws -> VendorRoutes {
        VendorRoutes(IdentityCenter(serverState: serverState))
    }
}
