internal import AuthModel

/// Which client a person signs in with, and who vouches for them.
struct MapsIndoorsChoice: Equatable {
    var client: String
    /// `nil`: the server asks by itself, and `acr_values` is not sent at all. An empty `idp:` would be something else.
    var identityProvider: String?

    /// What stands for letting the server ask.
    static let serverAsks = "ask"

    static func identityProvider(_ answer: String) -> String? { answer == serverAsks || answer.isEmpty ? nil : answer }

    static func clientForm(_ clients: [ProviderDetails.Client]) -> SignInForm {
        SignInForm(
            title: "Choose how to sign in",
            fields: [
                .init(
                    id: MapsIndoorsAdapter.client, label: "Client", kind: .choice(clients.map { .init($0.id, title: $0.id) }),
                    suggestion: clients.first?.id)
            ])
    }

    /// - Parameter last: what was chosen the last time.
    static func identityProviderForm(_ names: [String], last: String?) -> SignInForm {
        let choices = names.map { SignInForm.Choice($0, title: $0) } + [.init(serverAsks, title: "Let the server ask")]
        return SignInForm(
            title: "Choose who vouches for you",
            fields: [
                .init(
                    id: MapsIndoorsAdapter.identityProvider, label: "Identity provider", kind: .choice(choices),
                    suggestion: last.flatMap { names.contains($0) ? $0 : nil } ?? names.first ?? serverAsks)
            ])
    }
}
