import AuthModel
import OAuth
import SessionStore

/// Roles that a session opens in accounts, and their temporary credentials.
///
/// The steps of a request for credentials:
/// 1. Check the provider's policy, as for a token.
/// 2. Return kept credentials that are usable.
/// 3. Share: concurrent callers get the answer of one request.
/// 4. Renew the session if its token is not fresh.
/// 5. Lock the session across processes, and look again: another process may have kept credentials.
/// 6. Fetch, and keep the credentials before they are issued.
struct RoleAccess: Sendable {
    let context: EngineContext
    let policyCheck: TokenPolicyCheck
    let renewal: TokenRenewal
    /// The requests in progress.
    let requests: TasksInProgress<Request, DerivedCredential>

    /// A session and the purpose of a request to its provider.
    struct Request: Hashable, Sendable {
        let session: SessionName
        /// The time of the sign-in: after another sign-in, the session may be of another user.
        let grantedAt: Timestamp
        let purpose: String
    }

    /// The time before their end from which credentials are no longer issued.
    static let margin = Duration.seconds(300)
    /// The time for which a list of roles is kept.
    static let listLifetime = Duration.seconds(86_400)

    // MARK: Roles

    /// Returns the roles of the session's user, by the names of their accounts.
    func roles(_ operation: ListRoles) async throws(AuthFailure) -> RoleList {
        let (record, source, request) = try await admitted(operation)
        let purpose = DerivedCredentials.ownPrefix + "roles"
        if !operation.isFresh, let kept = kept(purpose, in: record), let list = Self.roles(in: kept) {
            await recordUse(request, of: record)
            return list
        }
        let listed = try await shared(purpose, record) { () async throws(AuthFailure) in
            try await self.fetched(record, for: request) { (current) throws(AuthFailure) in
                let roles = try await source.roles(of: current).sorted { ($0.accountName, $0.text) < ($1.accountName, $1.text) }
                let now = context.time.now
                let texts = MessageTexts(english: \.code)
                let list = DerivedCredential(
                    purpose: purpose, secret: Secret(JSONValue.array(roles.map { $0.wire(texts) }).text),
                    usableUntil: now + Self.listLifetime)
                // The list is good even if the store cannot be written, or if it would take the place of all credentials.
                if list.secret.count <= DerivedCredential.totalSizeLimit / 2, try allowsKeeping(current) {
                    _ = try? await context.sessions.change(current.summary.name) {
                        // Another user may have signed in meanwhile.
                        if $0.summary.grantedAt == current.summary.grantedAt { $0.store(list, at: now) }
                    }
                }
                return list
            }
        }
        await recordUse(request, of: record)
        return Self.roles(in: listed) ?? RoleList([], listedAt: nil)
    }

    private static func roles(in list: DerivedCredential) -> RoleList? {
        guard let entries = (try? JSONValue(strict: list.secret.reveal()))?.array else { return nil }
        return RoleList(entries.compactMap { try? AccountRole(wire: $0) }, listedAt: list.usableUntil - listLifetime)
    }

    // MARK: Credentials

    /// Issues temporary credentials of a role.
    func credentials(_ operation: IssueRoleCredentials) async throws(AuthFailure) -> DerivedCredential {
        let role = operation.role
        // 1. Check.
        let (record, source, request) = try await admitted(operation)
        let purpose = Self.purpose(role)
        let issued: DerivedCredential
        // 2. Kept credentials.
        if let kept = kept(purpose, in: record) {
            issued = kept
        } else {
            // 3. Share.
            issued = try await shared(purpose, record) { () async throws(AuthFailure) in
                try await self.fetched(record, for: request) { (fresh) throws(AuthFailure) in
                    try await self.fetchedCredentials(of: role, fresh, from: source)
                }
            }
        }
        await recordUse(request, of: record)
        return issued
    }

    private static func purpose(_ role: AccountRole) -> String {
        DerivedCredentials.ownPrefix + JSONValue.array(["role", .string(role.account), .string(role.role)]).text
    }

    private func fetchedCredentials(
        of role: AccountRole, _ record: SessionRecord, from source: any RoleSource
    ) async throws(AuthFailure) -> DerivedCredential {
        // 5. Lock, and look again.
        let name = record.summary.name
        let lock = try await context.sessions.lock(name)
        defer { lock.release() }
        let current = try await context.sessions.record(name)
        let purpose = Self.purpose(role)
        if let kept = kept(purpose, in: current) { return kept }
        // 6. Fetch and keep.
        let (secret, end) = try await source.credentials(of: role, for: current)
        let now = context.time.now
        // Credentials that are shorter-lived than the margin are issued, and not kept.
        let credential = DerivedCredential(
            purpose: purpose, secret: secret, usableUntil: min(end - Self.margin, now + DerivedCredentials.longestUse))
        if credential.usableUntil > now, try allowsKeeping(current) {
            _ = try? await context.sessions.change(name, holding: lock) { $0.store(credential, at: now) }
        }
        return credential
    }

    // MARK: Shared

    /// Returns the session of an operation, its roles, and the request with what it issues. Throws if the policy or the user refuses it.
    private func admitted(
        _ operation: some RoleOperation
    ) async throws(AuthFailure) -> (record: SessionRecord, source: any RoleSource, request: TokenRequest) {
        let request = operation.namedRequest
        let record = try await context.sessions.record(request.session)
        let source = try source(of: record)
        try await policyCheck.admit(request, of: record.summary.name)
        return (record, source, request)
    }

    /// Records a use. Credentials are issued even if the use cannot be recorded.
    private func recordUse(_ request: TokenRequest, of record: SessionRecord) async {
        try? await context.store.markUsed(record.summary.name, at: context.time.now, by: request.caller)
        await context.events.announce(.issued, record.summary.name, request.issuedMessage)
    }

    private func source(of record: SessionRecord) throws(AuthFailure) -> any RoleSource {
        let adapter = try context.providers.ownAdapter(of: record)
        // A revoked session's tokens are kept only to finish its sign-out.
        if record.summary.recordedState == .revoked { throw .sessionEnded(record) }
        guard let source = adapter.roleSource else {
            throw AuthFailure(
                .configuration, UserMessage("role.not_supported", ["provider": record.summary.name.provider]),
                hint: "hint.roles_need_identity_center")
        }
        return source
    }

    /// Returns what is kept for a purpose and still usable. A provider whose policy decides about each use keeps nothing.
    private func kept(_ purpose: String, in record: SessionRecord) -> DerivedCredential? {
        guard record.tokens != nil, (try? allowsKeeping(record)) == true else { return nil }
        return record.derivedCredentials.first { $0.purpose == purpose && $0.usableUntil > context.time.now }
    }

    private func allowsKeeping(_ record: SessionRecord) throws(AuthFailure) -> Bool {
        try policy(of: record) == .allow
    }

    private func policy(of record: SessionRecord) throws(AuthFailure) -> TokenPolicy {
        try context.providers.ownAdapter(of: record).configuration.policy
    }

    /// Runs `body`, or joins one that is in progress for the same session and purpose.
    private func shared(
        _ purpose: String, _ record: SessionRecord, _ body: @escaping @Sendable () async throws(AuthFailure) -> DerivedCredential
    ) async throws(AuthFailure) -> DerivedCredential {
        let key = Request(session: record.summary.name, grantedAt: record.summary.grantedAt, purpose: purpose)
        let (task, _) = requests.join(key) {
            Task {
                defer { requests.remove(key) }
                do throws(AuthFailure) { return .success(try await body()) } catch { return .failure(error) }
            }
        }
        return try await task.value.get()
    }

    /// Runs `body` with a record whose token is fresh. If the provider does not accept the token, renews the session and runs it once more.
    private func fetched(
        _ record: SessionRecord, for request: TokenRequest,
        _ body: (SessionRecord) async throws(AuthFailure) -> DerivedCredential
    ) async throws(AuthFailure) -> DerivedCredential {
        // 4. Renew.
        var current = try await renewal.current(record, for: request)
        do throws(AuthFailure) {
            return try await body(current)
        } catch  where error.kind == .signInAgain && current.summary.isRenewable && request.mayRenew {
            current = try await renewal.renewed(current)
        }
        return try await body(current)
    }
}

/// Credentials that other services issued for a session's token, sealed in the session's record.
struct DerivedCredentials: Sendable {
    let context: EngineContext

    /// The prefix of purposes that only the engine may use. A program's request with it is refused.
    static let ownPrefix = "engine:"
    /// The time after which no credential is issued again: the longest life of a role's credentials.
    static let longestUse = Duration.seconds(43_200)

    /// Returns a kept credential; `nil` if there is none that is still usable, or if the policy decides about each use.
    func credential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        let record = try await context.sessions.record(request.session)
        let adapter = try context.providers.ownAdapter(of: record)
        guard adapter.configuration.policy == .allow, record.isActive, !purpose.hasPrefix(Self.ownPrefix),
            let kept = record.derivedCredentials.first(where: { $0.purpose == purpose && $0.usableUntil > context.time.now })
        else { return nil }
        let name = record.summary.name
        try? await context.store.markUsed(name, at: context.time.now, by: request.caller)
        await context.events.announce(.issued, name, request.keptCredentialMessage)
        return kept
    }

    /// Keeps a credential. Does nothing for a session that has ended, or whose policy decides about each use.
    func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) {
        let record = try await context.sessions.record(session)
        let adapter = try context.providers.ownAdapter(of: record)
        guard adapter.configuration.policy == .allow else { return }
        guard credential.purpose.utf8.count + credential.secret.count <= DerivedCredential.sizeLimit else {
            throw AuthFailure(.usage, "session.credential_too_large")
        }
        guard !credential.purpose.hasPrefix(Self.ownPrefix) else { throw AuthFailure(.usage, "session.credential_purpose_reserved") }
        let now = context.time.now
        var credential = credential
        credential.usableUntil = min(credential.usableUntil, now + Self.longestUse)
        let kept = credential
        _ = try await context.sessions.change(record.summary.name) { record in
            if record.isActive { record.store(kept, at: now) }
        }
    }
}

extension SessionRecord {
    /// Whether the session's grant has not ended.
    fileprivate var isActive: Bool { tokens != nil && ![.revoked, .needsSignIn].contains(summary.recordedState) }
}
