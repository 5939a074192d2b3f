import AuthModel

/// One authorization request on its way past the pages, and what the person has done so far.
struct Interaction: Equatable, Sendable {
    let request: AuthorizationRequest
    /// The browser that began it; nobody else may go on with it.
    let browserSession: String
    /// Who typed a password or made an account since it began.
    var signedInHere: String?
    /// Who was picked from the accounts that were signed in already.
    var chosen: String?
    /// What was ticked on the consent page.
    var consented: ScopeSet?

    init(request: AuthorizationRequest, browserSession: String) {
        self.request = request
        self.browserSession = browserSession
    }

    /// What comes next.
    enum Step: Equatable, Sendable {
        case signIn(hint: String?)
        case signUp
        case chooseAccount
        case consent(username: String)
        case finish(username: String, scopes: ScopeSet)
        case refuse(OAuthError)
    }

    /// Decides what comes next (OpenID Connect Core section 3.1.2.3, and prompt=create).
    ///
    /// - Parameters:
    ///   - browser: Who is signed in in this browser.
    ///   - remembered: What a person has consented to before.
    func nextStep(browser: BrowserSession, remembered: (String) -> ScopeSet?, now: Timestamp) -> Step {
        let prompts = request.prompts
        let candidate = signedInHere ?? chosen ?? browser.signedIn(hint: request.loginHint)?.username
        let isFresh: Bool = {
            // A higher class is reached by signing in again, and by nothing else.
            guard signedInHere != nil || request.authenticationClass != .again else { return false }
            guard signedInHere == nil, let limit = request.maximumAge, let candidate else { return true }
            guard let since = browser.signedIn(username: candidate)?.since else { return false }
            return now - since <= limit
        }()
        let isConsented = candidate.flatMap(remembered).map { known in request.scopes.values.allSatisfy(known.contains) } ?? false

        if prompts.contains(.none) {
            guard let candidate, isFresh else { return .refuse(OAuthError("login_required", "nobody is signed in here")) }
            guard isConsented else { return .refuse(OAuthError("consent_required", "nobody consented to this yet")) }
            return .finish(username: candidate, scopes: request.scopes)
        }
        if signedInHere == nil {
            if prompts.contains(.create) { return .signUp }
            if prompts.contains(.login) { return .signIn(hint: request.loginHint) }
            if prompts.contains(.selectAccount), chosen == nil {
                return browser.accounts.isEmpty ? .signIn(hint: request.loginHint) : .chooseAccount
            }
        }
        guard let candidate, isFresh else { return .signIn(hint: request.loginHint ?? candidate) }
        if let consented { return .finish(username: candidate, scopes: consented) }
        return isConsented && !prompts.contains(.consent)
            ? .finish(username: candidate, scopes: request.scopes) : .consent(username: candidate)
    }
}

/// Who is signed in in one browser.
struct BrowserSession: Equatable, Sendable {
    struct Account: Equatable, Sendable {
        var username: String
        /// When the password was typed.
        var since: Timestamp
    }

    /// The most recent one last.
    private(set) var accounts: [Account] = []

    func signedIn(username: String) -> Account? { accounts.first { $0.username == username } }

    /// The account that `hint` names, or the most recent one where there is no hint.
    func signedIn(hint: String?) -> Account? {
        guard let hint else { return accounts.last }
        return accounts.first { $0.username == hint || hint.hasPrefix($0.username + "@") }
    }

    mutating func signIn(_ username: String, now: Timestamp) {
        accounts.removeAll { $0.username == username }
        accounts.append(Account(username: username, since: now))
    }

    mutating func signOut(_ username: String) { accounts.removeAll { $0.username == username } }

    /// Forgets whoever has been signed in for longer than `lifetime`.
    mutating func expire(lifetime: Duration, now: Timestamp) {
        accounts.removeAll { now - $0.since > lifetime }
    }
}
