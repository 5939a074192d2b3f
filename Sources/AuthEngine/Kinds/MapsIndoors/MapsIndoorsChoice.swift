internal import AuthModel

/// Which client a person signs in with, and who vouches for them.
struct MapsIndoorsChoice: Equatable {
    var client: String
    /// `nil`: the server asks by itself, and `acr_values` is not sent at all. An empty `idp:` would be something else.
    var identityProvider: String?

    /// What stands for letting the server ask.
    static let serverAsks = "ask"

    static func identityProvider(_ answer: String) -> String? { answer == serverAsks || answer.isEmpty ? nil : answer }

    /// The clients to choose among: those that have the identity provider which was named beforehand, else all of them.
    ///
    /// - Throws: `.configuration` for an identity provider that no client has, unless other choices are allowed.
    static func clients(of details: ProviderDetails, for request: SignInRequest) throws(AuthFailure) -> [ProviderDetails.Client] {
        guard let name = request.answers[MapsIndoorsAdapter.identityProvider].flatMap({ identityProvider($0.reveal()) }) else {
            return details.clients
        }
        let having = details.clients.filter { $0.identityProviders.contains(name) }
        guard having.isEmpty else { return having }
        let names = ScopeSet(details.clients.flatMap(\.identityProviders)).values
        let form = identityProviderForm(names, last: nil)
        if let fault = form.fault(in: request.answers, allowsOthers: request.allowsOtherChoices) { throw fault }
        return details.clients
    }

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
