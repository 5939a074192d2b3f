import AuthModel

/// The form handlers of the pages: sign in, choose an account, consent, sign up.
extension OpenIDProvider {
    func signIn(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        guard let username = request.field("username"), let user = user(username.trimmingWhitespace),
            request.field("password") == user.password
        else {
            return signInPage(id, hint: request.field("username"), problem: "The user name or password is wrong.")
        }
        enter(id, interaction, as: user.username)
        return continuePage(id)
    }

    func chooseAccount(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        let username = request.field("username") ?? ""
        if browsers[interaction.browserSession]?.signedIn(username: username) != nil {
            interactions[id]?.chosen = username
            return continuePage(id)
        }
        return signInPage(id, hint: nil)
    }

    func consent(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        let authorization = interaction.request
        let remembered: (String) -> ScopeSet? = { _ in nil }
        let browser = browsers[interaction.browserSession] ?? BrowserSession()
        guard case .consent(let username) = interaction.nextStep(browser: browser, remembered: remembered, now: now) else {
            return continuePage(id)
        }
        guard request.field("decision") == "allow" else {
            interactions[id] = nil
            return refuse(authorization, OAuthError("access_denied", "the user denied the request"))
        }
        let ticked = Set(request.form.filter { $0.name == "scope" }.map(\.value))
        // openid identifies the user, so it cannot be deselected if it was requested.
        let granted = ScopeSet(authorization.scopes.values.filter { $0 == "openid" || ticked.contains($0) })
        interactions[id]?.consented = granted
        consents[Consent(username: username, clientID: authorization.clientID)] = granted
        return continuePage(id)
    }

    /// Creates an account, during a sign-in (`prompt=create`) or on its own.
    func signUp(_ request: SandboxRequest) -> SandboxResponse {
        guard request.method == "POST" else {
            let id = request.parameter("interaction").flatMap { self.interaction($0, of: request) == nil ? nil : $0 }
            return signUpPage(id)
        }
        let id = request.field("interaction").flatMap { $0.isEmpty ? nil : $0 }
        let interaction = id.flatMap { self.interaction($0, of: request) }
        if id != nil, interaction == nil { return expiredPage }
        let entry = SignUpEntry(form: request.form)
        if let problem = entry.problem ?? (user(entry.username) == nil ? nil : "This user name is taken.") {
            return signUpPage(id, entry: entry, problem: problem)
        }
        users.append(
            SandboxUser(username: entry.username, password: entry.password, name: entry.name, email: entry.email))
        if let id, let interaction {
            enter(id, interaction, as: entry.username)
            return continuePage(id)
        }
        return messagePage(
            "Welcome, \(entry.name)", "Your sandbox account is ready. Go back to the terminal and sign in with it.", status: 201)
    }

    private func enter(_ id: String, _ interaction: Interaction, as username: String) {
        browsers[interaction.browserSession]?.signIn(username, now: now)
        interactions[id]?.signedInUsername = username
    }
}

/// The input of the sign-up page.
struct SignUpEntry: Equatable, Sendable {
    var username = ""
    var name = ""
    var email = ""
    var password = ""

    init() {}

    init(form: [(name: String, value: String)]) {
        func field(_ name: String) -> String { (SandboxRequest.single(name, in: form) ?? "").trimmingWhitespace }
        username = field("username")
        name = field("name")
        email = field("email")
        password = SandboxRequest.single("password", in: form) ?? ""
    }

    /// The reason why the input is invalid; `nil` if it is valid.
    var problem: String? {
        if !(1...64).contains(username.utf8.count) || !username.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return "A user name has 1 to 64 letters, digits or signs, without spaces."
        }
        if name.isEmpty || name.utf8.count > 256 { return "Enter a name." }
        if !email.contains("@") || email.utf8.count > 256 { return "Enter an email address." }
        if password.isEmpty || password.utf8.count > 256 { return "Enter a password." }
        return nil
    }
}

extension String {
    /// The text without spaces at its ends.
    var trimmingWhitespace: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
