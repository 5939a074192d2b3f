internal import AuthEngine
internal import AuthModel

/// The client and the identity provider of a sign-in.
struct MapsIndoorsChoice: Equatable {
    var client: String
    /// `nil`: the server asks the user, and `acr_values` is not sent. An empty `idp:` would mean something else.
    var identityProvider: String?

    /// The choice that lets the server ask.
    static let letServerChoose = "ask"

    static func identityProvider(_ answer: String) -> String? { answer == letServerChoose || answer.isEmpty ? nil : answer }

    /// Returns the clients to choose from: those with the identity provider that was given in advance, else all of them.
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
            title: "form.choose_sign_in",
            fields: [
                .init(
                    id: MapsIndoorsAdapter.client, label: .verbatim("Client"),
                    kind: .choice(clients.map { .init($0.id, title: .verbatim($0.id)) }),
                    suggestion: clients.first?.id)
            ])
    }

    /// Returns the form for the identity provider.
    ///
    /// - Parameter last: the previous choice.
    static func identityProviderForm(_ names: [String], last: String?) -> SignInForm {
        let choices = names.map { SignInForm.Choice($0, title: .verbatim($0)) } + [.init(letServerChoose, title: "form.let_server_ask")]
        return SignInForm(
            title: "form.choose_identity_provider",
            fields: [
                .init(
                    id: MapsIndoorsAdapter.identityProvider, label: "form.identity_provider", kind: .choice(choices),
                    suggestion: last.flatMap { names.contains($0) ? $0 : nil } ?? names.first ?? letServerChoose)
            ])
    }
}
