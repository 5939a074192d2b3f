internal import ArgumentParser
internal import AuthModel
internal import OAuth

/// The options that the sign-in, sign-up and recovery commands share.
struct LoginOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The label for the account.", valueName: "label"))
    var account: String?

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope to request instead of the configured ones; may be repeated.", valueName: "scope"))
    var scopes: [String] = []

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp(
            "A resource to request tokens for (RFC 8707), instead of the configured ones; may be repeated.", valueName: "uri"))
    var resources: [String] = []

    @Option(help: ArgumentHelp("Acceptable authentication levels (ACR values), in order of preference.", valueName: "values"))
    var acrValues: String?

    @Option(help: ArgumentHelp("The claims to request, as a JSON object, if a resource requires them.", valueName: "json"))
    var claims: String?

    @Option(help: ArgumentHelp("Authenticate again if you last did so longer ago than this.", valueName: "seconds"))
    var maxAge: Int?

    @Option(help: ArgumentHelp("What the provider asks you: none, login, consent, select_account.", valueName: "prompt"))
    var prompt: String?

    @Option(help: ArgumentHelp("The user name for the provider to fill in.", valueName: "hint"))
    var loginHint: String?

    @Option(help: ArgumentHelp("The preferred languages of the provider's pages: \"de-AT en\".", valueName: "tags"))
    var uiLocales: String?

    @Option(help: ArgumentHelp("The identity provider to sign in with, if there are several.", valueName: "name"))
    var idp: String?

    @Option(help: ArgumentHelp("Your e-mail address, if the provider asks for it to create an account.", valueName: "address"))
    var email: String?

    @Option(help: ArgumentHelp("Your display name, if the provider asks for it to create an account.", valueName: "name"))
    var displayName: String?

    @Flag(name: .customLong("force-idp"), help: "Use an identity provider that is not offered.")
    var forcesIdentityProvider = false

    @Option(help: ArgumentHelp("The sign-in method: auto, browser, device or manual.", valueName: "flow"))
    var flow = Flow.auto

    @Option(help: ArgumentHelp("The port of the loopback callback.", valueName: "port"))
    var port: Int?

    @Option(help: ArgumentHelp("The time limit of the sign-in.", valueName: "seconds"))
    var timeout: Int?

    @Flag(help: "Sign in even if a user is already signed in; if only one user at a time is possible, sign that user out first.")
    var force = false

    @Flag(name: .customLong("private"), help: "Ask for a private browser window.")
    var isPrivate = false

    @Flag(help: "Print the URL; open no browser.")
    var noOpen = false

    @Flag(help: "Print the session as JSON.")
    var json = false

    /// The values of ``AuthModel/SignInRequest/Flow``, in the form that the argument parser needs.
    enum Flow: String, ExpressibleByArgument, CaseIterable {
        case auto, browser, device, manual

        var value: SignInRequest.Flow {
            switch self {
            case .auto: .auto
            case .browser: .browser
            case .device: .device
            case .manual: .manual
            }
        }
    }

    func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age cannot be negative") }
        if let claims {
            let isObject = (try? JSONValue(strict: claims))?.members != nil
            guard isObject, claims.utf8.count <= 4096 else { throw ValidationError("--claims needs a JSON object of at most 4096 bytes") }
        }
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port must be between 1 and 65535") }
        if let timeout, !(1...86_400).contains(timeout) { throw ValidationError("--timeout must be between 1 and 86400 seconds") }
        if let account, !SessionName.isLabel(account) {
            throw ValidationError("'\(account)' is not an account label; use letters, digits and . _ - @ +")
        }
        if let bad = scopeList.values.first(where: { !ScopeSet.isScope($0) }) { throw ValidationError("'\(bad)' is not a scope") }
        if let bad = resources.first(where: { !ResourceIndicator.isValid($0) }) {
            throw ValidationError("'\(bad)' is not a resource; use an absolute URI without a fragment")
        }
        if let uiLocales {
            let tags = uiLocales.split(separator: " ")
            if let bad = tags.first(where: { !Self.isLanguageTag($0) }) { throw ValidationError("'\(bad)' is not a language tag") }
            if tags.isEmpty { throw ValidationError("--ui-locales needs a language tag, such as de-AT") }
        }
        if forcesIdentityProvider, idp == nil { throw ValidationError("--force-idp needs --idp") }
        if let idp, !ScopeSet.isScope(idp) { throw ValidationError("'\(idp)' is not an identity provider") }
        let prompts = ["none", "login", "consent", "select_account", "create"]
        if let bad = prompt?.split(separator: " ").first(where: { !prompts.contains(String($0)) }) {
            throw ValidationError("'\(bad)' is not a prompt; use \(prompts.joined(separator: ", "))")
        }
    }

    /// Returns whether the text has the syntax of a BCP 47 language tag: subtags of 1 to 8 letters or digits.
    private static func isLanguageTag(_ text: Substring) -> Bool {
        text.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.utf8.count) && part.utf8.allSatisfy(\.isASCIIAlphanumeric)
        }
    }

    /// The scopes of ``scopes``, one by one.
    var scopeList: ScopeSet { ScopeSet(scopes.flatMap { $0.split(separator: " ").map(String.init) }) }

    /// Whether no option changes the sign-in itself.
    private var asksNothingElse: Bool {
        scopes.isEmpty && resources.isEmpty && maxAge == nil && [acrValues, claims, prompt, loginHint, idp].allSatisfy { $0 == nil }
    }

    /// Returns the sign-in request for a provider. `account` is the label that was written with the provider.
    func request(_ provider: ProviderName, account: String?, purpose: SignInRequest.Purpose) -> SignInRequest {
        var request = SignInRequest(
            provider: provider, purpose: purpose, account: self.account ?? account, flow: flow.value, resources: resources)
        request.scopes = scopeList
        request.loginHint = loginHint
        request.prompt = prompt
        request.maxAge = maxAge
        request.acrValues = acrValues
        request.claims = claims
        request.uiLocales = uiLocales
        request.port = port
        request.timeout = timeout.map { Duration.seconds($0) }
        request.answers = answers
        request.allowsOtherChoices = forcesIdentityProvider
        request.replacesSession = force
        return request
    }

    /// Returns the option that answers a form field in advance; `nil` if there is none, as for secret fields.
    static func option(for field: String) -> String? {
        switch field {
        case "idp": "--idp"
        case "email": "--email"
        case "display_name": "--display-name"
        default: nil
        }
    }

    /// The answers to form fields that options give in advance.
    private var answers: SignInForm.Answers {
        var answers: SignInForm.Answers = [:]
        if let idp { answers["idp"] = Secret(idp) }
        if let email { answers["email"] = Secret(email) }
        if let displayName { answers["display_name"] = Secret(displayName) }
        return answers
    }

    /// Throws if the named account is signed in already, its session needs no new sign-in, and no option changes the sign-in.
    ///
    /// Never throws without a named account, because the user may choose another account in the browser.
    func refuseSignedIn(_ request: SignInRequest, among sessions: [SessionSummary], at now: Timestamp) throws(AuthFailure) {
        guard request.purpose == .signIn, !force, asksNothingElse, let account = request.account,
            let session = sessions.first(where: { $0.name.provider == request.provider && $0.name.account == account })
        else { return }
        switch session.state(at: now) {
        case .signedIn, .expiring, .renewing, .expired:
            throw AuthFailure(
                .alreadySignedIn, text: "already signed in: \(session.name)",
                hint: "renew it with: yett renew \(session.name.shellWord), or sign in again with --prompt login")
        case .guest, .signingIn, .needsSignIn, .revoked, .error: return
        }
    }
}
