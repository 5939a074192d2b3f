import AuthModel

/// An authorization request that is passing through the pages, with the user's input so far.
struct Interaction: Equatable, Sendable {
    let request: AuthorizationRequest
    /// The browser session that started it; no other may continue it.
    let browserSession: String
    /// The user who entered a password or created an account during the interaction.
    var signedInUsername: String?
    /// The user chosen among the accounts that are already signed in.
    var chosen: String?
    /// The scopes selected on the consent page.
    var consented: ScopeSet?

    init(request: AuthorizationRequest, browserSession: String) {
        self.request = request
        self.browserSession = browserSession
    }

    /// The next step of an interaction.
    enum Step: Equatable, Sendable {
        case signIn(hint: String?)
        case signUp
        case chooseAccount
        case consent(username: String)
        case finish(username: String, scopes: ScopeSet)
        case refuse(OAuthError)
    }

    /// Returns the next step (OpenID Connect Core section 3.1.2.3, and prompt=create).
    ///
    /// - Parameters:
    ///   - browser: the accounts that are signed in in this browser.
    ///   - remembered: returns the scopes that a user has consented to before.
    func nextStep(browser: BrowserSession, remembered: (String) -> ScopeSet?, now: Timestamp) -> Step {
        let prompts = request.prompts
        let candidate = signedInUsername ?? chosen ?? browser.signedIn(hint: request.loginHint)?.username
        let isFresh: Bool = {
            // Only a new sign-in reaches the higher class.
            guard signedInUsername != nil || request.authenticationClass != .again else { return false }
            guard signedInUsername == nil, let limit = request.maximumAge, let candidate else { return true }
            guard let since = browser.signedIn(username: candidate)?.since else { return false }
            return now - since <= limit
        }()
        let isConsented = candidate.flatMap(remembered).map { known in request.scopes.values.allSatisfy(known.contains) } ?? false

        if prompts.contains(.none) {
            guard let candidate, isFresh else { return .refuse(OAuthError("login_required", "no user is signed in")) }
            guard isConsented else { return .refuse(OAuthError("consent_required", "the user has not consented")) }
            return .finish(username: candidate, scopes: request.scopes)
        }
        if signedInUsername == nil {
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

/// The accounts that are signed in in one browser.
struct BrowserSession: Equatable, Sendable {
    struct Account: Equatable, Sendable {
        var username: String
        /// The time when the password was entered.
        var since: Timestamp
    }

    /// The accounts; the most recent one is last.
    private(set) var accounts: [Account] = []

    func signedIn(username: String) -> Account? { accounts.first { $0.username == username } }

    /// Returns the account that `hint` names, or the most recent one without a hint.
    func signedIn(hint: String?) -> Account? {
        guard let hint else { return accounts.last }
        return accounts.first { $0.username == hint || hint.hasPrefix($0.username + "@") }
    }

    mutating func signIn(_ username: String, now: Timestamp) {
        accounts.removeAll { $0.username == username }
        accounts.append(Account(username: username, since: now))
    }

    mutating func signOut(_ username: String) { accounts.removeAll { $0.username == username } }

    /// Removes the accounts that have been signed in for longer than `lifetime`.
    mutating func expire(lifetime: Duration, now: Timestamp) {
        accounts.removeAll { now - $0.since > lifetime }
    }
}
