import AuthModel

/// The pages that users see. Their identifiers and field names are stable, so that browser automation can fill them in.
extension OpenIDProvider {
    func signInPage(_ id: String, hint: String?, problem: String? = nil) -> SandboxResponse {
        let name = interactions[id].flatMap { client($0.request.clientID) }?.name ?? ""
        let rows = users.map { user -> HTML in
            "<tr><td><code>\(user.username)</code></td><td><code>\(user.password)</code></td><td><bdi>\(user.name)</bdi></td></tr>"
        }
        return page(
            id, title: "Sign in",
            """
            <p>to continue to <strong>\(name)</strong></p>
            \(problemMarkup(problem))
            <form method="post" action="\(base)/sign-in">
            \(interactionField(id))
            <label>User name <input id="username" name="username" value="\(hint ?? "")" autocomplete="username" autofocus required></label>
            <label>Password <input id="password" name="password" type="password" autocomplete="current-password" required></label>
            <button id="login" type="submit">Sign in</button>
            </form>
            <p>No account yet? <a id="to-signup" href="\(base)/sign-up?interaction=\(id)">Create an account</a></p>
            <table>
            <tr><th>user name</th><th>password</th><th>name</th></tr>
            \(rows)
            </table>
            """)
    }

    func signUpPage(_ id: String?, entry: SignUpEntry = SignUpEntry(), problem: String? = nil) -> SandboxResponse {
        page(
            id, title: "Create an account",
            """
            \(problemMarkup(problem))
            <form method="post" action="\(base)/sign-up">
            \(id.map { interactionField($0) } ?? "")
            <label>User name <input id="username" name="username" value="\(entry.username)" autocomplete="username" autofocus required></label>
            <label>Name <input id="name" name="name" value="\(entry.name)" autocomplete="name" required></label>
            <label>Email <input id="email" name="email" type="email" value="\(entry.email)" autocomplete="email" required></label>
            <label>Password <input id="password" name="password" type="password" autocomplete="new-password" required></label>
            <button id="signup" type="submit">Create account</button>
            </form>
            """, status: problem == nil ? 200 : 400)
    }

    func chooseAccountPage(_ id: String, _ usernames: [String]) -> SandboxResponse {
        let buttons = usernames.compactMap(user).map { user -> HTML in
            """
            <form method="post" action="\(base)/choose-account">
            \(interactionField(id))
            <button id="account-\(user.username)" name="username" value="\(user.username)" type="submit"><bdi>\(user.name)</bdi></button>
            </form>
            """
        }
        return page(
            id, title: "Choose an account",
            """
            \(buttons)
            <form method="post" action="\(base)/choose-account">
            \(interactionField(id))
            <button id="account-other" class="plain" name="username" value="" type="submit">Use another account</button>
            </form>
            """)
    }

    func consentPage(_ id: String, username: String) -> SandboxResponse {
        guard let interaction = interactions[id], let user = user(username) else { return expiredPage }
        let name = client(interaction.request.clientID)?.name ?? interaction.request.clientID
        let ticks = interaction.request.scopes.values.map { scope -> HTML in
            let fixed: HTML = scope == "openid" ? " disabled" : ""
            return """
                <label class="tick"><input type="checkbox" name="scope" value="\(scope)" checked\(fixed)><span><code>\(scope)</code> \(Self.meaning(of: scope))</span></label>
                """
        }
        return page(
            id, title: "Allow access for \(name)?",
            """
            <p>You are signed in as <strong><bdi>\(user.name)</bdi></strong>. <strong>\(name)</strong> would like to:</p>
            \(deviceNote(interaction.request))
            <form method="post" action="\(base)/consent">
            \(interactionField(id))
            \(ticks)
            <button id="allow" name="decision" value="allow" type="submit">Allow</button>
            <button id="deny" class="plain" name="decision" value="deny" type="submit">Deny</button>
            </form>
            """)
    }

    /// Returns the note with the code to compare with the device (RFC 8628 section 5.4).
    private func deviceNote(_ request: ReceivedAuthorization) -> HTML {
        guard case .device(let code) = request.responseTarget, let device = grants.deviceCodes[code] else { return "" }
        return "<p>Continue only if your own device shows <code id=\"shown-code\">\(device.userCode)</code> at this moment.</p>"
    }

    /// Returns the page for typing the code that a device shows (RFC 8628 section 3.3).
    func devicePage(code: String, problem: String? = nil) -> SandboxResponse {
        Page.answer(
            title: "Connect a device",
            """
            \(problemMarkup(problem))
            <form method="post" action="\(base)/device">
            <label>Code on the device <input id="user_code" name="user_code" value="\(code)" autocomplete="off" autofocus required></label>
            <button id="device" type="submit">Continue</button>
            </form>
            """, status: problem == nil ? 200 : 400)
    }

    func signOutPage(_ parameters: [(name: String, value: String)]) -> SandboxResponse {
        let fields = parameters.map { pair -> HTML in "<input type=\"hidden\" name=\"\(pair.name)\" value=\"\(pair.value)\">" }
        return Page.answer(
            title: "Sign out?",
            """
            <form method="post" action="\(base)/logout">
            \(fields)
            <button id="logout" name="decision" value="sign-out" type="submit">Sign out</button>
            </form>
            """, formTargets: Self.formTarget(parameters.first { $0.name == "post_logout_redirect_uri" }?.value))
    }

    /// Returns a form in place of a redirect, for ``CallbackFault/post``.
    func postPage(to target: String, _ parameters: [(String, String)]) -> SandboxResponse {
        let fields = parameters.map { pair -> HTML in "<input type=\"hidden\" name=\"\(pair.0)\" value=\"\(pair.1)\">" }
        return Page.answer(
            title: "One more step",
            """
            <form method="post" action="\(target)">
            \(fields)
            <button id="post" type="submit">Go back</button>
            </form>
            """, formTargets: Self.formTarget(target))
    }

    func messagePage(_ title: String, _ text: String, status: Int) -> SandboxResponse {
        Page.answer(title: title, "<p>\(text)</p>", status: status)
    }

    /// `GET /`: describes the server.
    func home(_ request: SandboxRequest) -> SandboxResponse {
        Page.answer(
            title: "OpenID test provider",
            """
            <p>Its issuer is <code>\(issuer)</code>.</p>
            <ul>
            <li><a href="\(base)/.well-known/openid-configuration">Metadata</a></li>
            <li><a href="\(base)/sign-up">Create an account</a></li>
            <li><a href="\(base)/logout">Sign out</a></li>
            </ul>
            """)
    }

    private func page(_ id: String?, title: String, _ body: HTML, status: Int = 200) -> SandboxResponse {
        Page.answer(
            title: title, body, status: status, formTargets: Self.formTarget(id.flatMap { interactions[$0] }?.request.redirectURI))
    }

    private func problemMarkup(_ problem: String?) -> HTML {
        problem.map { "<p class=\"problem\" role=\"alert\">\($0)</p>" } ?? ""
    }

    private func interactionField(_ id: String) -> HTML { "<input type=\"hidden\" name=\"interaction\" value=\"\(id)\">" }

    /// Returns the target of a form as a source of a content security policy.
    private static func formTarget(_ redirectURI: String?) -> [String] {
        guard let origin = redirectURI.flatMap({ WebURL($0) })?.origin else { return [] }
        // The grammar of the policy has no IPv6 literals, so the scheme must be enough.
        return [origin.host.contains(":") ? "\(origin.scheme.rawValue):" : origin.description]
    }

    private static func meaning(of scope: String) -> String {
        switch scope {
        case "openid": "know who you are"
        case "profile": "see your name"
        case "email": "see your email address"
        case "offline_access": "stay signed in"
        case "hello": "say hello for you"
        case "mcp": "use tools for you"
        default: ""
        }
    }
}
