import AuthModel

/// A client that registered itself, and the token that manages the registration.
struct Registration: Sendable {
    var client: SandboxClient
    /// The registration response, without the two members for management.
    var document: JSONValue
    var token: Secret
}

/// Dynamic registration (RFC 7591), its management (RFC 7592), and clients that are described by a document.
extension OpenIDProvider {
    func registration(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.offersRegistration else { return .notFound }
        return answering(.registration) {
            switch request.method {
            case "POST": register(request)
            case "DELETE":
                managed(request) { id in
                    registrations[id] = nil
                    return SandboxResponse(status: 204)
                }
            default: managed(request) { id in registrations[id].map { .json(managedDocument($0)) } ?? .notFound }
            }
        }
    }

    private func register(_ request: SandboxRequest) -> SandboxResponse {
        // Fault point: the response to a registration.
        let faults = faultSet.consumeFaults(RegistrationFault.self, as: Fault.registration)
        if faults.contains(.invalidRedirect) { return .error(OAuthError("invalid_redirect_uri", "these redirect URIs are not accepted")) }
        do throws(OAuthError) {
            guard let text = String(validating: request.body, as: UTF8.self), let metadata = try? JSONValue(strict: text) else {
                throw OAuthError("invalid_client_metadata", "the body is not JSON")
            }
            let id = "registered-" + Self.makeName().prefix(16)
            let secret = Secret(Self.makeName())
            let client = try SandboxClient(id: id, metadata: metadata, secret: secret)
            var document = metadata.setting("client_id", .string(id)).setting("client_id_issued_at", .number(now.seconds))
                .setting("token_endpoint_auth_method", .string(client.authentication.rawValue))
            if metadata["grant_types"] == nil { document = document.setting("grant_types", ["authorization_code"]) }
            if client.secret != nil {
                document = document.setting("client_secret", .string(secret.reveal())).setting("client_secret_expires_at", 0)
            }
            let registration = Registration(client: client, document: document, token: Secret(Self.makeName()))
            registrations[id] = registration
            let honest = SandboxResponse.json(managedDocument(registration), status: 201)
            return faults.reduce(honest) { $1.apply($0) }
        } catch {
            return .error(error)
        }
    }

    private func managedDocument(_ registration: Registration) -> JSONValue {
        registration.document.setting("registration_access_token", .string(registration.token.reveal()))
            .setting(
                "registration_client_uri",
                .string(issuer + "/register?" + FormEncoding.encode([("client_id", registration.client.id)])))
    }

    /// Requires the client's own registration token, and does not reveal which clients exist (RFC 7592 section 2).
    private func managed(_ request: SandboxRequest, _ body: (String) -> SandboxResponse) -> SandboxResponse {
        guard let id = request.parameter("client_id"), let known = registrations[id], let presented = request.accessToken,
            presented.scheme == .bearer, known.token == Secret(presented.token)
        else { return .bearerChallenge(error: request.accessToken == nil ? nil : "invalid_token") }
        return body(id)
    }

    /// Fetches the document of the request's client, if its identifier is a URL (Client ID Metadata Document).
    ///
    /// Removes a client whose document is no longer valid.
    func readClient(of request: SandboxRequest) async {
        guard configuration.acceptsClientDocuments,
            let id = request.parameter("client_id") ?? request.field("client_id"), let url = WebURL(id), url.path.count > 1,
            !url.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return }
        documents[id] = nil
        guard let answer = await LoopbackClient.ask("GET", id), answer.status == 200, let metadata = try? JSONValue(strict: answer.text),
            metadata["client_id"]?.string == id, metadata["client_secret"] == nil,
            let client = try? SandboxClient(id: id, metadata: metadata, secret: Secret("")),
            client.authentication == .none || client.authentication == .privateKeyJWT
        else { return }
        documents[id] = client
    }
}
