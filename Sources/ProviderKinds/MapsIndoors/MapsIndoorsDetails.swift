import AuthEngine
import AuthModel
import OAuth

/// The gateway's details of a solution: whether users must sign in, where, and with which clients.
///
/// The member names are those of the JavaScript SDK's samples or of the iOS SDK. Missing arrays are empty.
struct MapsIndoorsDetails: Equatable {
    var details: ProviderDetails
    /// The scopes in addition to `openid` and `profile`.
    var authScope: ScopeSet

    /// Reads the gateway's answer.
    ///
    /// - Throws: `.configuration` for a key that the gateway does not know, `.unavailable` for anything that is not the details.
    init(_ response: WebResponse, from origin: Origin, provider: ProviderName) throws(AuthFailure) {
        let host = origin.authority
        switch response.status {
        case 200: break
        case 401, 403, 404:
            throw AuthFailure(
                .configuration,
                UserMessage(
                    "mapsindoors.unknown_key",
                    ["provider": provider, "host": host, "status": response.status, "code": Self.code(in: response)]),
                hint: UserMessage("hint.mapsindoors_set_api_key", ["provider": provider]))
        case 300..<400:
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("mapsindoors.details_redirected", ["host": host]),
                hint: "hint.mapsindoors_set_gateway_url")
        default:
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("mapsindoors.details_status", ["host": host, "status": response.status]),
                hint: "hint.try_again_in_a_moment")
        }
        guard let document = response.document, document.members != nil else {
            throw Self.unreadable("phrase.mapsindoors_not_json_object", host)
        }
        guard let isRequired = document["isAuthRequired"]?.bool else {
            throw Self.unreadable("phrase.mapsindoors_auth_required_missing", host)
        }
        var clients: [ProviderDetails.Client] = []
        for entry in document["authClients"]?.array ?? [] {
            // The characters of RFC 6749 appendix A.1.
            guard let id = (entry["clientId"] ?? entry["clientID"])?.string, !id.isEmpty,
                id.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw Self.unreadable("phrase.mapsindoors_client_id_missing", host) }
            let names = (entry["preferredIDPs"] ?? entry["preferredIDPS"])?.strings ?? []
            // A name becomes one word of `acr_values`.
            clients.append(.init(id: id, identityProviders: names.filter { ScopeSet.isScope($0) }))
        }
        authScope = ScopeSet((document["authScope"]?.string ?? "").split { $0.isWhitespace }.map(String.init).filter(ScopeSet.isScope))
        let named = document["authIssuer"]?.string
        let issuer = named.flatMap(Issuer.init)
        if isRequired, issuer == nil {
            guard named.flatMap(WebURL.init) == nil else {
                throw AuthFailure(
                    .security, UserMessage("mapsindoors.issuer_not_https", ["host": host]),
                    hint: "hint.contact_its_administrator_https")
            }
            throw Self.unreadable("phrase.mapsindoors_issuer_missing", host)
        }
        if let issuer, issuer.url.origin.isThisMachine, !origin.isThisMachine {
            throw AuthFailure(
                .security, UserMessage("mapsindoors.issuer_on_this_machine", ["host": host, "address": issuer.url.origin.authority]),
                hint: "hint.contact_gateway_administrator")
        }
        details = ProviderDetails(
            isSignInRequired: isRequired, issuer: issuer, scopes: ScopeSet(["openid", "profile"] + authScope.values), clients: clients)
    }

    private static func unreadable(_ reason: UserMessage, _ host: String) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("mapsindoors.details_unreadable", ["host": host, "reason": reason]),
            hint: "hint.mapsindoors_check_gateway_url")
    }

    /// The gateway's own error code, if there is one.
    private static func code(in response: WebResponse) -> UserMessage {
        let code = response.document?["code"]?.integer
        return code.map { UserMessage("phrase.comma_code", ["code": $0]) } ?? .empty
    }
}

/// The client and the identity provider of a sign-in.
struct MapsIndoorsChoice: Equatable {
    var client: String
    /// `nil`: the server asks the user, and `acr_values` is not sent. An empty `idp:` would mean something else.
    var identityProvider: String?

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
