internal import AuthModel
internal import TOML

/// `kind = "openweb"`.
extension ProviderReader {
    private enum Mode: String, CaseIterable {
        case codes
        case jwt
        case provider
    }

    func openWeb() throws(AuthFailure) -> OpenWebConfiguration {
        try refuse(
            ["issuer", "client_id", "scopes", "client_secret_file", "client_secret_command", "client_auth", "redirect"],
            because: "OpenWeb knows nothing of it")
        let site = try section.requiredText("spot_id", hint: "add the spot_id of the site, such as sp_eCIlROSD")
        guard Self.isWord(site, also: UInt8(ascii: "_"))
        else { throw section.error("'\(site)' is no spot_id", at: "spot_id", hint: "it has letters, digits and underscores") }
        let given = try url("gateway_url") ?? WebURL(OpenWebConfiguration.standardGateway)
        guard let given, given.query == nil, let gateway = WebURL(given.text.last == "/" ? String(given.text.dropLast()) : given.text)
        else {
            throw section.error("'gateway_url' is refused", at: "gateway_url", hint: "it must be an https URL without query")
        }
        return OpenWebConfiguration(
            gateway: gateway, spotID: site, voucher: try voucher(), promptsGuests: try section.flag("login_prompt") ?? false,
            promptText: try section.text("login_prompt_text") ?? OpenWebConfiguration.standardPromptText,
            renewalTimeout: .seconds(try section.wholeNumber("renew_timeout", within: 1...600) ?? 30))
    }

    private func voucher() throws(AuthFailure) -> OpenWebConfiguration.Voucher {
        let mode = try section.word("mode", as: Mode.self) ?? .codes
        let backend = try url("codeb_url")
        if mode == .codes { try refuse(["jwt_command", "provider"], because: "mode is \"codes\"") }
        if mode != .provider { try refuse(["provider"], because: "mode is not \"provider\"") }
        switch mode {
        case .codes:
            guard let backend else {
                throw section.error(
                    "'codeb_url' is missing in \(ConfigurationSection.title(section.path))",
                    hint: "add the address of the publisher's backend that turns a code A into a code B")
            }
            guard let publisher = try publisher() else {
                throw section.error(
                    "'publisher' is missing in \(ConfigurationSection.title(section.path))",
                    hint: "add publisher = \"PROVIDER\" for a session there, or publisher_login_url for user name and password")
            }
            return .codes(publisher, backend: backend)
        case .jwt: return .jwt(try secretOrigin(), try publisher(), backend: backend)
        case .provider:
            let known = OpenWebConfiguration.knownProviders
            let name = try section.requiredText("provider", hint: "OpenWeb knows \(known.joined(separator: ", "))")
            guard known.contains(name) else { throw section.unknownWord("provider", name, known: known) }
            return .provider(name, try secretOrigin())
        }
    }

    private func publisher() throws(AuthFailure) -> OpenWebConfiguration.Publisher? {
        let form = try url("publisher_login_url")
        if let text = try section.text("publisher") {
            guard form == nil else {
                throw section.error(
                    "the publisher is named twice", at: "publisher_login_url", hint: "keep one of publisher and publisher_login_url")
            }
            guard let name = SessionName(text) else {
                throw section.error("'\(text)' names no session", at: "publisher", hint: "write PROVIDER or PROVIDER/ACCOUNT")
            }
            return .session(name)
        }
        let header = try section.text("codeb_header") ?? "access-token-network"
        guard Self.isWord(header, also: UInt8(ascii: "-"))
        else { throw section.error("'\(header)' is no header field", at: "codeb_header", hint: "it has letters, digits and hyphens") }
        return form.map { .form($0, header: header) }
    }

    /// Letters, digits, and one more character.
    private static func isWord(_ text: String, also extra: UInt8) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: byte == extra
            }
        }
    }

    private func secretOrigin() throws(AuthFailure) -> OpenWebConfiguration.SecretOrigin {
        guard let command = section["jwt_command"] else { return .person }
        let words: [String]
        if let line = command.string {
            words = line.split(separator: " ").map(String.init)
        } else {
            words = try section.texts("jwt_command") ?? []
        }
        guard !words.isEmpty else {
            throw section.error("'jwt_command' names no command", at: "jwt_command", hint: "write it as [\"make-jwt\", \"--site\", \"x\"]")
        }
        return .command(words)
    }
}
