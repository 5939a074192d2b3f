import AuthModel
import Foundation
import ProcessHarness
import Testing

/// Other sign-in methods, and sign-out in the browser.
extension Journey {
    /// Signs in with a code that is typed at the provider's page, in a browser that knows nothing of this machine.
    /// - Parameters:
    ///   - session: The session's name; it contains the account where the provider says who signed in.
    ///   - more: Returns additional configuration for the provider.
    func deviceCodeSignsIn(session: String = session, more: (StartedProvider) -> String = { _ in "" }) async throws {
        try await provider.running { provider in
            try configure(provider, more: more(provider))
            let login = try home.program("yett-main", ["login", Self.name, "--flow", "device", "--json"], limit: .seconds(300)).start()
            let told = try await login.until { $0.errors.restOfLine(after: "and enter the code ") != nil }
            let page = try #require(told.errors.restOfLine(after: ": open "))
            let code = try #require(told.errors.restOfLine(after: "and enter the code "))
            #expect(page.hasPrefix("http://127.0.0.1:"))
            let visit = try await Browser.visit(page, ["--code", code], in: home)
            let result = await login.finish()
            #expect(result.status == 0, "\(result)\n\(visit)")
            #expect(try JSONValue(strict: result.output)["sessions"]?.array?.first?["session"]?.string == session)
            let token = try await home.yett("token", session)
            #expect(token.status == 0, "\(token)")
            try await expectAccepted(String(token.output.dropLast()), at: provider)
        }
    }

    /// Signs in with a request that is pushed to the provider directly; the browser carries only a reference to it.
    func pushedRequestKeepsParametersOutOfTheURL() async throws {
        try await provider.running { provider in
            try configure(provider, more: "par = \"required\"")
            let (url, result) = try await signInBesideTheProgram()
            #expect(url.contains("request_uri=urn"))
            for name in ["response_type", "scope", "code_challenge", "redirect_uri", "state", "nonce"] {
                #expect(!url.contains("\(name)="))
            }
            #expect(result.status == 0, "\(result)")
            try await expectAccepted(try await token(), at: provider)
        }
    }

    /// Checks that a bound token works in our own request and is refused without the session's key.
    func boundTokenIsRefusedWithoutItsKey() async throws {
        try await provider.running { provider in
            let host = try #require(provider.issuer.split(separator: "/").dropFirst().first)
            try configure(provider, more: "dpop = \"required\"\napi_hosts = [\"\(host)\"]")
            #expect(try await signInBesideTheProgram().result.status == 0)
            let userInfo = try #require(try await Resource.metadata(of: provider)["userinfo_endpoint"]?.string)
            let answer = try await home.yett("request", Self.session, userInfo)
            #expect(answer.status == 0, "\(answer)")
            #expect(try JSONValue(strict: answer.output)["sub"]?.string?.isEmpty == false)
            let alone = try await home.yett("token", Self.session)
            #expect(alone.status == 2 && alone.output == "", "\(alone)")
            let lines = try await home.yett("token", Self.session, "--dpop", "GET", userInfo)
            #expect(lines.status == 0, "\(lines)")
            let token = try #require(lines.output.split(separator: "\n").first).replacing("Authorization: DPoP ", with: "")
            let stolen = try await Resource.userInfo(at: provider, token: String(token))
            #expect(stolen.status == 401, "\(stolen)")
        }
    }

    /// Registers a client dynamically and signs in with it.
    func registeredClientSignsIn() async throws {
        try await provider.running { provider in
            // The redirect URI has a port, because some providers compare it.
            let arguments = ["providers", "add", provider.issuer, "--name", Self.name, "--register", "--redirect"]
            let added = try await home.program("yett-main", arguments + ["http://127.0.0.1:8410/callback"]).run()
            #expect(added.status == 0, "\(added)")
            let (url, result) = try await signInBesideTheProgram()
            #expect(url.contains("client_id=") && !url.contains("client_id=yett&"))
            #expect(result.status == 0, "\(result)")
            try await expectAccepted(try await token(), at: provider)
        }
    }

    /// Ends the provider's own session in the browser together with ours.
    func signOutEndsTheBrowserSession() async throws {
        try await provider.running { provider in
            try configure(provider)
            #expect(try await signInBesideTheProgram().result.status == 0)
            // While the browser session lasts, the provider signs in without a prompt.
            let silent = try await signInBesideTheProgram(["--prompt", "none"])
            #expect(silent.result.status == 0, "\(silent.result)")
            let token = try await token()

            // A browser that only records its URL, so that the real browser can be driven to it.
            let note = home.path + "/sent-to"
            let browser = try home.write(
                "#!/bin/sh\nprintf %s \"$1\" >'\(note).new' && mv '\(note).new' '\(note)'\n", to: "note", permissions: 0o700)
            let logout = try home.program("yett-main", ["logout", "--browser", "--json"], with: ["BROWSER": browser], limit: .seconds(300))
                .start()
            try await eventually("no browser was started") { FileManager.default.fileExists(atPath: note) }
            let url = String(decoding: try Data(contentsOf: URL(fileURLWithPath: note)), as: UTF8.self)
            #expect(url.hasPrefix("http://127.0.0.1:") && !url.contains("?"))
            try await Browser.visit(url, ["--log-out"] + profile, in: home)
            let result = await logout.finish()
            #expect(result.status == 0, "\(result)")
            #expect(!(result.output + result.errors).contains("id_token_hint"))
            try await expectEnded(token, at: provider)

            let refused = try await signInBesideTheProgram(["--prompt", "none"])
            #expect(refused.result.status != 0, "\(refused.result)")
            #expect(refused.result.output == "")
        }
    }

    /// Ends the browser session at a provider with a registered post-logout redirect: the user confirms, and the browser returns our state.
    func signOutReturnsToTheRegisteredRedirect() async throws {
        try await provider.running { provider in
            let redirects = (8_410...8_414).map { #""http://127.0.0.1:\#($0)/callback""# }.joined(separator: ", ")
            try configure(provider, more: "post_logout_redirect = [\(redirects)]")
            #expect(try await signInBesideTheProgram().result.status == 0)
            let token = try await token()

            let command = try home.program("yett-main", ["logout", "--browser", "--json"], with: ["BROWSER": "none"], limit: .seconds(300))
            let logout = try command.start()
            let told = try await logout.until { $0.errors.restOfLine(after: "in your browser:\n  ") != nil }
            let url = try #require(told.errors.restOfLine(after: "in your browser:\n  "))
            #expect(url.contains("post_logout_redirect_uri=") && url.contains("state="))
            // The session is removed here before the user confirms at the provider's page.
            #expect(try await answer("status", "--json")["sessions"]?.array == [])
            try await Browser.visit(url, ["--log-out"] + profile, in: home)
            let result = await logout.finish()
            #expect(result.status == 0, "\(result)")
            let steps = try JSONValue(strict: result.output)["receipts"]?.array?.first?["steps"]?.array
            let step = try #require(steps?.first { $0["step"] == "end_browser_session" })
            #expect(step["outcome"] == "done", "\(result)")
            try await expectEnded(token, at: provider)
        }
    }

    private var profile: [String] { ["--profile", home.path + "/browser"] }

    /// Signs in with a browser that is started next to the program and keeps its cookies.
    /// - Returns: The URL that the browser visited, and the program's result.
    func signInBesideTheProgram(_ options: [String] = []) async throws -> (url: String, result: ProgramResult) {
        let arguments = ["login", Self.name, "--no-open", "--json"] + options
        let login = try home.program("yett-main", arguments, limit: .seconds(300)).start()
        let told = try await login.until { $0.errors.restOfLine(after: "in your browser:\n  ") != nil }
        let url = try #require(told.errors.restOfLine(after: "in your browser:\n  "))
        try await Browser.visit(url, profile, in: home)
        return (url, await login.finish())
    }
}

extension String {
    /// Returns the text between `text` and the end of its line; nil while the line is incomplete.
    fileprivate func restOfLine(after text: String) -> String? {
        guard let start = firstRange(of: text)?.upperBound, let end = self[start...].firstIndex(of: "\n") else { return nil }
        return String(self[start..<end])
    }

    private func firstRange(of text: String) -> Range<Index>? {
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(text) { return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
