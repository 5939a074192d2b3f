internal import AuthModel

/// The output after a provider was added to or removed from the configuration.
struct ProviderChange: Answer {
    /// `added` or `removed`.
    let what: String
    let provider: ProviderName

    var lines: [String] { ["\(what): \(provider)"] }
    var json: JSONValue { .answer((what, .string(provider.text))) }
}
