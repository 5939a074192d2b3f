internal import AuthModel

/// What tokens are for, and what sessions are made of.
extension ProviderReader {
    func resources() throws(AuthFailure) -> [String] {
        let resources = try section.textOrTexts("resource") ?? []
        for text in resources {
            // RFC 8707 section 2: an absolute URI without a fragment. Ours are what a token is sent to, so web addresses.
            guard let url = WebURL(text), url.fragment == nil else {
                throw section.error(
                    "the resource '\(text)' is no address", at: "resource", hint: "write it as https://api.example.org/, without a fragment"
                )
            }
        }
        return resources
    }

    /// The session that those of kind `exchange` are made from.
    func exchange(kind: ProviderKind) throws(AuthFailure) -> ProviderConfiguration.Exchange? {
        guard kind == .exchange else { return nil }
        let text = try section.requiredText("from", hint: "add: from = \"PROVIDER\", the provider whose session it is made from")
        guard let from = SessionName(text) else {
            throw section.error("'\(text)' names no session", at: "from", hint: "write PROVIDER or PROVIDER/ACCOUNT")
        }
        let presented: TokenRequest.Wanted
        switch try section.text("subject_token") {
        case nil, "access_token": presented = .access
        case "id_token": presented = .id
        case let other?: throw section.unknownWord("subject_token", other, known: ["access_token", "id_token"])
        }
        return ProviderConfiguration.Exchange(
            from: from, grant: try section.word("grant", as: ProviderConfiguration.Exchange.Grant.self) ?? .tokenExchange,
            presented: presented, audiences: try section.textOrTexts("audience") ?? [])
    }
}
