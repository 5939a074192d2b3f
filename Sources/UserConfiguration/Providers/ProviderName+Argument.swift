package import AuthModel

extension ProviderName {
    /// Parses a name from the command line. Throws `.usage`.
    package init(argument text: String) throws(AuthFailure) {
        guard let name = ProviderName(text) else {
            throw AuthFailure(
                .usage, UserMessage("config.invalid_provider_name", ["name": text]),
                hint: "hint.provider_name_characters")
        }
        self = name
    }
}
