import AuthEngine
import AuthModel
import OAuth

/// The portal: the accounts and roles of a user, and temporary credentials of a role.
extension IdentityCenterAdapter: RoleSource {
    static let tokenField = "x-amz-sso_bearer_token"
    /// The number of accounts whose roles are asked for at the same time.
    private static let width = 4
    /// The number of times that a portal that is not available is asked.
    private static let tries = 3
    /// The maximum number of pages of one list, so that a faulty service does not keep this program busy.
    private static let pageLimit = 200
    /// The maximum number of accounts, and of roles in all of them together. AWS's own limits are below.
    private static let entryLimit = 20_000
    /// The maximum length of an account's name, in Unicode scalars. AWS: 50.
    private static let nameLimit = 128
    /// The time for which a request is repeated while the portal answers that there are too many, or that it is not available.
    private static let listTimeLimit = Duration.seconds(25)

    // MARK: Roles

    func roles(of record: SessionRecord) async throws(AuthFailure) -> [AccountRole] {
        guard let token = record.tokens?.accessToken else { throw .noRefreshToken(of: record) }
        let accounts = try await pages("/assignment/accounts", "accountList", [], token).compactMap { entry -> (String, String)? in
            guard let account = entry["accountId"]?.string, AccountRole.isAccount(account) else { return nil }
            return (account, String(String.UnicodeScalarView((entry["accountName"]?.string ?? "").unicodeScalars.prefix(Self.nameLimit))))
        }
        let outcome = await withTaskGroup(of: Result<[AccountRole], AuthFailure>.self) { group in
            var waiting = accounts[...]
            func addNext() {
                guard let (account, name) = waiting.popFirst() else { return }
                group.addTask {
                    do throws(AuthFailure) { return .success(try await roles(in: account, name, token)) } catch { return .failure(error) }
                }
            }
            for _ in 0..<Self.width { addNext() }
            var found: [AccountRole] = []
            for await result in group {
                switch result {
                case .success(let more) where found.count + more.count <= Self.entryLimit: found += more
                case .success:
                    group.cancelAll()
                    return Result<[AccountRole], AuthFailure>.failure(Self.listTooLong)
                case .failure(let failure):
                    group.cancelAll()
                    return Result<[AccountRole], AuthFailure>.failure(failure)
                }
                addNext()
            }
            return .success(found)
        }
        return try outcome.get()
    }

    /// Returns the roles in an account; none if the account went away after it was listed.
    private func roles(in account: String, _ name: String, _ token: Secret) async throws(AuthFailure) -> [AccountRole] {
        try await pages("/assignment/roles", "roleList", [("account_id", account)], token, emptyIfRefused: true).compactMap { entry in
            entry["roleName"]?.string.flatMap { AccountRole.isRole($0) ? AccountRole(account: account, role: $0, accountName: name) : nil }
        }
    }

    /// Returns the entries of all pages of a list.
    private func pages(
        _ path: String, _ list: String, _ query: [(String, String)], _ token: Secret, emptyIfRefused: Bool = false
    ) async throws(AuthFailure) -> [JSONValue] {
        var entries: [JSONValue] = []
        var next: String?
        for _ in 0..<Self.pageLimit {
            let page = try await ask(
                path, query + [("max_result", "100")] + (next.map { [("next_token", $0)] } ?? []), token, emptyIfRefused: emptyIfRefused)
            entries += page[list]?.array ?? []
            guard entries.count <= Self.entryLimit else { break }
            guard let following = page["nextToken"]?.string, !following.isEmpty else { return entries }
            guard following != next else { break }
            next = following
        }
        throw Self.listTooLong
    }

    private static var listTooLong: AuthFailure {
        AuthFailure(.unavailable(retryAfter: nil), "aws.list_too_long", hint: "hint.aws_contact_administrator")
    }

    // MARK: Credentials

    func credentials(
        of role: AccountRole, for record: SessionRecord
    ) async throws(AuthFailure) -> (secret: Secret, expiresAt: Timestamp) {
        guard let token = record.tokens?.accessToken else { throw .noRefreshToken(of: record) }
        let document: JSONValue
        do throws(AuthFailure) {
            document = try await ask("/federation/credentials", [("role_name", role.role), ("account_id", role.account)], token)
        } catch {
            guard case .denied = error.kind else { throw error }
            throw AuthFailure(error.kind, UserMessage("aws.role_refused", ["role": role.text, "detail": error.message]), hint: error.hint)
        }
        guard let given = document["roleCredentials"], let key = given["accessKeyId"]?.string, Secret(key).isTokenText,
            let secret = given["secretAccessKey"]?.string, Secret(secret).isTokenText,
            let session = given["sessionToken"]?.string, Secret(session).isTokenText,
            let end = given["expiration"]?.integer, (0...253_402_300_799_000).contains(end)
        else {
            throw AuthFailure(.security, "aws.credentials_unusable", hint: "hint.aws_contact_administrator")
        }
        let expiresAt = Timestamp(milliseconds: end)
        let answer = JSONValue.members(
            ("Version", 1), ("AccessKeyId", .string(key)), ("SecretAccessKey", .string(secret)), ("SessionToken", .string(session)),
            ("Expiration", .string(expiresAt.description)), ("AccountId", .string(role.account)))
        return (Secret(answer.text), expiresAt)
    }

    // MARK: Requests

    /// Asks the portal, and again after a pause while it answers that there are too many requests, or a few times that it is not available.
    ///
    /// - Parameter emptyIfRefused: whether a refusal of what was asked for (403, 404) is an empty answer.
    private func ask(
        _ path: String, _ query: [(String, String)], _ token: Secret, emptyIfRefused: Bool = false
    ) async throws(AuthFailure) -> JSONValue {
        let what = UserMessage("phrase.asking_aws_portal")
        guard let url = try settings.portal(path).appending(query: query) else { throw AuthFailure(.usage, "aws.role_name_too_long") }
        let host = url.origin.authority
        let request = WebRequest(method: .get, url: url, headers: [(Self.tokenField, token.reveal()), ("Accept", "application/json")])
        let end = environment.time.bootTime + Self.listTimeLimit
        var tries = 0
        while true {
            let answer = try await send(request)
            tries += 1
            switch answer.status {
            case 401:
                throw AuthFailure(
                    .signInAgain, UserMessage("aws.session_refused", ["host": host]),
                    hint: UserMessage("hint.sign_in_again", ["provider": configuration.name]))
            case let status where status == 429 || tries < Self.tries && [500, 502, 503, 504].contains(status):
                let pause = RenewalRetry.pause(
                    after: tries, retryAfter: answer.retryAfter(now: environment.time.now), jitter: Double.random(in: 0..<1))
                let next = environment.time.bootTime + pause
                guard next < end, (try? await environment.time.sleep(until: next)) != nil else {
                    return try read(answer, from: host, when: what)
                }
            case 403 where emptyIfRefused, 404 where emptyIfRefused: return .object([])
            case 403, 404:
                throw AuthFailure(
                    .denied(code: ServiceRefusal(answer).code),
                    UserMessage("http.refused_when", ["host": host, "action": what, "detail": ServiceRefusal(answer).line]),
                    hint: UserMessage("hint.aws_list_roles", ["provider": configuration.name]))
            default: return try read(answer, from: host, when: what)
            }
        }
    }
}
