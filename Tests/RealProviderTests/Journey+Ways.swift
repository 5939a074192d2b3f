import AuthModel
import Foundation
import ProcessHarness
import Testing

/// The other ways in and out of one provider.
extension Journey {
    /// A code that is typed at the provider's page, in a browser that knows nothing of this machine.
    /// - Parameters:
    ///   - session: what the session is called: after the person, where the provider says who that is.
    ///   - more: what has to be configured for it.
    func byDevice(session: String = session, more: (StartedProvider) -> String = { _ in "" }) async throws {
        try await provider.running { provider in
            try configure(provider, more: more(provider))
            let login = try home.program("yett-main", ["login", Self.name, "--flow", "device", "--json"], limit: .seconds(120)).start()
            let told = try await login.until { $0.errors.words(after: "and type the code ") != nil }
            let page = try #require(told.errors.words(after: ": open "))
            let code = try #require(told.errors.words(after: "and type the code "))
            #expect(page.hasPrefix("http://127.0.0.1:"))
            let person = try await Browser.visit(page, ["--code", code], in: home)
            let result = await login.finish()
            #expect(result.status == 0, "\(result)\n\(person)")
            #expect(try JSONValue(strict: result.output)["sessions"]?.array?.first?["session"]?.string == session)
            let token = try await home.yett("token", session)
            #expect(token.status == 0, "\(token)")
            try await expectAccepted(String(token.output.dropLast()), at: provider)
        }
    }

    /// A request that went to the provider directly: the browser carries nothing but a reference to it.
    func byPushedRequest() async throws {
        try await provider.running { provider in
            try configure(provider, more: "par = \"required\"")
            let (url, result) = try await signInAside()
            #expect(url.contains("request_uri=urn"))
            // Providers that read the URL by OpenID Connect Core want these two as well.
            for name in ["response_type=code", "scope=openid"] { #expect(url.contains(name)) }
            for name in ["code_challenge", "redirect_uri", "state", "nonce"] { #expect(!url.contains("\(name)=")) }
            #expect(result.status == 0, "\(result)")
            try await expectAccepted(try await token(), at: provider)
        }
    }

    /// Tokens that are of no use without the session's key: our own request is taken, and that of a thief is not.
    func withProofs() async throws {
        try await provider.running { provider in
            let host = try #require(provider.issuer.split(separator: "/").dropFirst().first)
            try configure(provider, more: "dpop = \"required\"\napi_hosts = [\"\(host)\"]")
            #expect(try await signInAside().result.status == 0)
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

    /// A client that the program registers for itself.
    func byRegistration() async throws {
        try await provider.running { provider in
            // With a port, as some of them compare it.
            let arguments = ["providers", "add", provider.issuer, "--name", Self.name, "--register", "--redirect"]
            let added = try await home.program("yett-main", arguments + ["http://127.0.0.1:8400/callback"]).run()
            #expect(added.status == 0, "\(added)")
            let (url, result) = try await signInAside()
            #expect(url.contains("client_id=") && !url.contains("client_id=yett&"))
            #expect(result.status == 0, "\(result)")
            try await expectAccepted(try await token(), at: provider)
        }
    }

    /// The provider's own session, in the person's browser, ends with ours.
    func endingTheBrowserSession() async throws {
        try await provider.running { provider in
            try configure(provider)
            #expect(try await signInAside().result.status == 0)
            // While that session lives, the provider asks nothing.
            let silent = try await signInAside(["--prompt", "none"])
            #expect(silent.result.status == 0, "\(silent.result)")
            let token = try await token()

            // A browser that only notes where it was sent, so that the real one can be driven there.
            let note = home.path + "/sent-to"
            let browser = try home.write(
                "#!/bin/sh\nprintf %s \"$1\" >'\(note).new' && mv '\(note).new' '\(note)'\n", to: "note", permissions: 0o700)
            let logout = try home.program("yett-main", ["logout", "--browser", "--json"], with: ["BROWSER": browser], limit: .seconds(90))
                .start()
            try await eventually("no browser was started") { FileManager.default.fileExists(atPath: note) }
            let url = String(decoding: try Data(contentsOf: URL(fileURLWithPath: note)), as: UTF8.self)
            #expect(url.hasPrefix("http://127.0.0.1:") && !url.contains("?"))
            try await Browser.visit(url, ["--log-out"] + profile, in: home)
            let result = await logout.finish()
            #expect(result.status == 0, "\(result)")
            #expect(!(result.output + result.errors).contains("id_token_hint"))
            try await expectEnded(token, at: provider)

            let refused = try await signInAside(["--prompt", "none"])
            #expect(refused.result.status != 0, "\(refused.result)")
            #expect(refused.result.output == "")
        }
    }

    /// The same, at a provider where a way back is registered: the person confirms there, and the browser brings our state back.
    func comingBackFromTheEndOfTheSession() async throws {
        try await provider.running { provider in
            let redirects = (8_400...8_404).map { #""http://127.0.0.1:\#($0)/callback""# }.joined(separator: ", ")
            try configure(provider, more: "post_logout_redirect = [\(redirects)]")
            #expect(try await signInAside().result.status == 0)
            let token = try await token()

            let command = try home.program("yett-main", ["logout", "--browser", "--json"], with: ["BROWSER": "none"], limit: .seconds(150))
            let logout = try command.start()
            let told = try await logout.until { $0.errors.words(after: "in your browser:\n  ") != nil }
            let url = try #require(told.errors.words(after: "in your browser:\n  "))
            #expect(url.contains("post_logout_redirect_uri=") && url.contains("state="))
            // It is gone here before anybody is at the provider's page.
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

    /// Signs in with a browser that is started beside the program, and keeps its cookies.
    /// - Returns: where the browser was sent, and how it ended.
    func signInAside(_ options: [String] = []) async throws -> (url: String, result: ProgramResult) {
        let arguments = ["login", Self.name, "--no-open", "--json"] + options
        let login = try home.program("yett-main", arguments, limit: .seconds(90)).start()
        let told = try await login.until { $0.errors.words(after: "in your browser:\n  ") != nil }
        let url = try #require(told.errors.words(after: "in your browser:\n  "))
        try await Browser.visit(url, profile, in: home)
        return (url, await login.finish())
    }
}

extension String {
    /// What stands between a text and the end of its line; nil while the line has no end.
    fileprivate func words(after text: String) -> String? {
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
