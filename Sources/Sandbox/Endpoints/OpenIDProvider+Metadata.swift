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
        var prompts = AuthorizationRequest.Prompt.allCases
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
            .init("scopes_supported", .array(AuthorizationRequest.knownScopes.map { .string($0) })),
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
