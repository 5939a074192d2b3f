internal import AuthModel

/// What became of a provider in the configuration.
struct ProviderChange: Answer {
    /// `added` or `removed`.
    let what: String
    let provider: ProviderName

    var lines: [String] { ["\(what): \(provider)"] }
    var json: JSONValue { .answer((what, .string(provider.text))) }
}
