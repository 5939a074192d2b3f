package import AuthModel

extension ProviderName {
    /// Parses a name from the command line. Throws `.usage`.
    package init(argument text: String) throws(AuthFailure) {
        guard let name = ProviderName(text) else {
            throw AuthFailure(
                .usage, "'\(text)' is not a provider name",
                hint: "use up to 64 letters, digits, '.', '_' and '-', not beginning with '.' or '-'")
        }
        self = name
    }
}
