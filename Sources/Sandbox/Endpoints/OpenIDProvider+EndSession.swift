import AuthModel

/// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0).
extension OpenIDProvider {
    func endSession(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
        let hint = value("id_token_hint")
        // A hint is accepted even if its token has expired (section 2).
        let known = hint.flatMap { idTokens[$0] }
        if hint != nil, known == nil {
            return messagePage("You are still signed in", "id_token_hint was not issued by this provider.", status: 400)
        }
        if let known, let claimed = value("client_id"), claimed != known.clientID {
            return messagePage("You are still signed in", "client_id does not match id_token_hint.", status: 400)
        }
        let target = value("post_logout_redirect_uri")
        let client = (known?.clientID ?? value("client_id")).flatMap { self.client($0) }
        if let target, client?.accepts(postLogoutRedirect: target) != true {
            return messagePage("You are still signed in", "This post_logout_redirect_uri is not registered.", status: 400)
        }
        let (browser, cookie) = browserSession(of: request)
        // Without a hint, any page could sign a user out, so ask the user.
        if known == nil, !(request.method == "POST" && value("decision") == "sign-out") {
            var answer = signOutPage(parameters.filter { $0.name != "decision" })
            if let cookie { answer.headers.append(cookie) }
            return answer
        }
        for account in browsers[browser]?.accounts ?? [] where known == nil || known?.username == account.username {
            browsers[browser]?.signOut(account.username)
            grants.end(browserSession: browser, username: account.username)
        }
        return signedOut(target: target, state: value("state"))
    }

    private func signedOut(target: String?, state: String?) -> SandboxResponse {
        // Fault point: the redirect after signing out.
        let faults = faultSet.consumeFaults(LogoutFault.self, where: { !$0.affectsRevocation }, as: Fault.logout)
        guard let target, !faults.contains(.never) else {
            return messagePage("You are signed out", "You can close this page.", status: 200)
        }
        let state = faults.reduce(state) { $1.apply(state: $0) }
        let joint = target.contains("?") ? "&" : "?"
        return .redirect(to: state.map { target + joint + FormEncoding.encode([("state", $0)]) } ?? target)
    }
}
