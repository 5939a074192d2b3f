/// A role that a session's user may take in one of several accounts, such as an AWS account.
public struct AccountRole: Hashable, Sendable {
    /// The account's identifier. AWS: twelve digits.
    public var account: String
    /// The name of the role.
    public var role: String
    /// The account's name, for users; empty if it is unknown.
    public var accountName: String

    package init(account: String, role: String, accountName: String = "") {
        self.account = account
        self.role = role
        self.accountName = accountName
    }

    /// Reads ``text``; `nil` if it is not the number of an account and the name of a role.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Self.isAccount(parts[0]), Self.isRole(parts[1]) else { return nil }
        self.init(account: parts[0], role: parts[1])
    }

    /// Whether two values are the same role. The name of its account does not count.
    public static func == (left: AccountRole, right: AccountRole) -> Bool { left.account == right.account && left.role == right.role }

    /// Hashes the account and the role.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(account)
        hasher.combine(role)
    }

    /// Whether a text is the number of an AWS account: twelve digits.
    public static func isAccount(_ text: String) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// Whether a text can be the name of a role of AWS: 1 to 64 letters, digits and `_ + = , . @ -`.
    public static func isRole(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_+=,.@-".utf8.contains($0) }
    }

    /// The account and the role as one argument: `ACCOUNT/ROLE`.
    public var text: String { "\(account)/\(role)" }

    /// The account's name and the role, for users; the account's number if it has no name.
    public var shownName: String { "\(accountName.isEmpty ? account : accountName)/\(role)" }

    /// The text in which users search: ``shownName``, then the number of the account.
    package var searchedText: String { accountName.isEmpty ? shownName : "\(shownName) \(account)" }
}

extension Sequence<Activity> {
    /// Returns the roles whose credentials were issued of late first, the last one before all others. The others stay in their order.
    package func recentFirst(_ roles: [AccountRole], of session: SessionName) -> [(role: AccountRole, isRecent: Bool)] {
        var last: [String: Timestamp] = [:]
        for entry in self where entry.kind == .issued && entry.session == session {
            guard case .text(let role)? = entry.message.arguments["destination"] else { continue }
            last[role] = Swift.max(last[role] ?? entry.at, entry.at)
        }
        let recent = roles.compactMap { role in last[role.text].map { (role: role, at: $0) } }.sorted { $1.at < $0.at }
        return recent.map { (role: $0.role, isRecent: true) } + roles.filter { last[$0.text] == nil }.map { (role: $0, isRecent: false) }
    }
}

extension AccountRole: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("account", .string(account)), ("account_name", .string(accountName)), ("role", .string(role)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "role")
        self.init(
            account: try reader.text("account"), role: try reader.text("role"), accountName: try reader.optionalText("account_name") ?? "")
    }
}

/// The roles of a session's user in all accounts, and when the provider listed them.
package struct RoleList: Equatable, Sendable {
    /// The roles, by account name and role.
    package var roles: [AccountRole]
    /// `nil` if it is not known.
    package var listedAt: Timestamp?

    package init(_ roles: [AccountRole], listedAt: Timestamp?) { (self.roles, self.listedAt) = (roles, listedAt) }
}

/// An operation that issues credentials of a role, or the list of roles, in place of the session's token. The provider's ``TokenPolicy``
/// and the user decide about it as about the token.
package protocol RoleOperation: SessionOperation {
    /// The request for the session's own token, which the policy and the user decide about.
    var request: TokenRequest { get set }
    /// The credentials or the list that is issued, for the question to the user and the log.
    var subject: TokenRequest.RoleSubject { get }
}

extension RoleOperation {
    /// The request with ``subject``. The caller's own statement about the use of the token does not count.
    package var namedRequest: TokenRequest {
        var request = request
        request.subject = subject
        if case .credentials(let role) = subject { request.destination = role } else { request.destination = nil }
        return request
    }
}

/// Returns the roles of a session's user in all accounts, by account name and role, if the provider's ``TokenPolicy`` allows it. The list
/// is kept sealed with the session.
///
/// Throws `.configuration` if the provider has no roles.
package struct ListRoles: RoleOperation {
    package typealias Reply = RoleList
    package static let route = OperationRoute("roles", .post, "/v1/session/roles", [.isRepeatable, .countsAsUse])

    package var request: TokenRequest
    /// Whether to ask the provider even if a list is kept.
    package var isFresh: Bool
    package var subject: TokenRequest.RoleSubject { .list }

    package init(_ request: TokenRequest, isFresh: Bool = false) {
        self.request = request
        self.isFresh = isFresh
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        request = try reader.nested("request")
        isFresh = try reader.optional("fresh", \.bool) ?? false
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("request", request.wire(texts)), ("fresh", .bool(isFresh))) }

    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue {
        .members(("roles", reply.roles.wire(texts)), ("listed_at", JSONValue(reply.listedAt)))
    }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        RoleList(try reply.readable("roles", skipped: skipped), listedAt: try reply.optionalMoment("listed_at"))
    }
}

/// Issues temporary credentials of a role if the provider's ``TokenPolicy`` allows it. They are kept sealed with the session until shortly
/// before they end, so that any number of callers has one request to the provider. A provider whose policy is not `allow` keeps none.
///
/// The secret of the reply is a JSON object in the format of AWS's `credential_process`.
package struct IssueRoleCredentials: RoleOperation {
    package typealias Reply = DerivedCredential
    package static let route = OperationRoute(
        "roleCredentials", .post, "/v1/role-credentials", [.isRepeatable, .countsAsUse])

    package var role: AccountRole
    package var request: TokenRequest
    package var subject: TokenRequest.RoleSubject {
        // The program names the role.
        .credentials(role.text.filter { !$0.isWhitespace }.prefix(bytes: TokenRequest.destinationLimit))
    }

    package init(of role: AccountRole, _ request: TokenRequest) {
        self.role = role
        self.request = request
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        role = try reader.nested("role")
        request = try reader.nested("request")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("role", role.wire(texts)), ("request", request.wire(texts))) }
}
