import AuthModel

/// The metadata documents (OpenID Connect Discovery 1.0 section 4, RFC 8414 section 3), and the key set that they name.
extension OpenIDProvider {
    func metadata(_ request: SandboxRequest, kind: SandboxConfiguration.Metadata) -> SandboxResponse {
        guard configuration.metadata == .both || configuration.metadata == kind else { return .notFound }
        return answering(.discovery) { .json(applyingFaults(metadata: metadataDocument, kind: kind)) }
    }

    func keySet(_ request: SandboxRequest) -> SandboxResponse {
        answering(.keys) {
            guard let list = try? keys.publicKeys(configuration.keySet) else { return .text("the keys cannot be read\n", status: 500) }
            return .json(applyingFaults(keySet: ["keys": .array(list)]))
        }
    }

    private var metadataDocument: JSONValue {
        func url(_ path: String) -> JSONValue { .string(issuer + path) }
        let methods = JSONValue.array(
            SandboxClient.Authentication.allCases.map(\.rawValue).filter { $0 != "none" || configuration.acceptsPublicClients }
                .map { .string($0) })
        var prompts = ReceivedAuthorization.Prompt.allCases
        if !configuration.offersPromptCreate { prompts.removeAll { $0 == .create } }
        var members: [JSONValue.Member] = [
            .init("issuer", .string(issuer)),
            .init("authorization_endpoint", url("/authorize")),
            .init("token_endpoint", url("/token")),
            .init("userinfo_endpoint", url("/userinfo")),
            .init("jwks_uri", url("/jwks")),
            .init("revocation_endpoint", url("/revoke")),
            .init("introspection_endpoint", url("/introspect")),
            .init("end_session_endpoint", url("/logout")),
            .init("scopes_supported", .array(ReceivedAuthorization.knownScopes.map { .string($0) })),
            .init("response_types_supported", ["code"]),
            .init("response_modes_supported", ["query"]),
            .init("grant_types_supported", .array(grantTypes.map { .string($0.rawValue) })),
            .init("subject_types_supported", ["public"]),
            .init(
                "id_token_signing_alg_values_supported",
                .array(SandboxConfiguration.SigningAlgorithm.allCases.map { .string($0.rawValue) })),
            .init("token_endpoint_auth_methods_supported", methods),
            .init("token_endpoint_auth_signing_alg_values_supported", .array(VerifyingKey.algorithms.map { .string($0) })),
            .init("revocation_endpoint_auth_methods_supported", methods),
            .init("introspection_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post", "private_key_jwt"]),
            .init("code_challenge_methods_supported", ["S256"]),
            .init(
                "claims_supported",
                [
                    "sub", "iss", "aud", "exp", "iat", "auth_time", "acr", "nonce", "at_hash", "name", "preferred_username", "email",
                    "email_verified",
                ]),
            .init("acr_values_supported", .array(AuthenticationClass.allCases.map { .string($0.rawValue) })),
            .init("prompt_values_supported", .array(prompts.map { .string($0.rawValue) })),
            .init("request_parameter_supported", false),
            .init("request_uri_parameter_supported", false),
            .init("ui_locales_supported", ["en"]),
        ]
        if configuration.issuerParameter == .announced {
            members.append(.init("authorization_response_iss_parameter_supported", true))
        }
        if configuration.device.isOffered { members.append(.init("device_authorization_endpoint", url("/device_authorization"))) }
        if configuration.offersRegistration { members.append(.init("registration_endpoint", url("/register"))) }
        if configuration.issuesIdentityGrants {
            members.append(.init("identity_chaining_requested_token_types_supported", [.string(TokenType.identityGrant.rawValue)]))
        }
        if !configuration.identityProviders.isEmpty {
            members.append(.init("authorization_grant_profiles_supported", ["urn:ietf:params:oauth:grant-profile:id-jag"]))
        }
        if configuration.acceptsClientDocuments { members.append(.init("client_id_metadata_document_supported", true)) }
        if configuration.pushedRequests != .off {
            members.append(.init("pushed_authorization_request_endpoint", url("/par")))
            members.append(.init("require_pushed_authorization_requests", .bool(configuration.pushedRequests == .required)))
        }
        if configuration.proofs.support != .off {
            members.append(.init("dpop_signing_alg_values_supported", JSONValue.array(VerifyingKey.algorithms.map { .string($0) })))
        }
        if let origin = configuration.certificateOrigin {
            let aliased: Set = [
                "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "introspection_endpoint", "device_authorization_endpoint",
                "registration_endpoint", "pushed_authorization_request_endpoint",
            ]
            let aliases = members.filter { aliased.contains($0.name) }.map { member in
                let place = (member.value.string ?? "").replacingFirst(self.origin, with: origin)
                return JSONValue.Member(member.name, .string(place))
            }
            members.append(.init("mtls_endpoint_aliases", .object(aliases)))
        }
        return .object(members)
    }

    /// The grant types that this provider accepts.
    var grantTypes: [GrantType] {
        GrantType.allCases.filter { configuration.device.isOffered || $0 != .device }
    }
}

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
        if faults.contains(.invalidRedirect) { return .error(ErrorReply("invalid_redirect_uri", "these redirect URIs are not accepted")) }
        do throws(ErrorReply) {
            guard let text = String(validating: request.body, as: UTF8.self), let metadata = try? JSONValue(strict: text) else {
                throw ErrorReply("invalid_client_metadata", "the body is not JSON")
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
