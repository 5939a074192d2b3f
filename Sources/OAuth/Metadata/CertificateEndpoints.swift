internal import AuthModel

/// The provider's endpoints for clients with a certificate (`mtls_endpoint_aliases`, RFC 8705 section 5), validated like other endpoints.
struct CertificateEndpoints: Equatable, Sendable {
    var token: WebURL?
    var userInfo: WebURL?
    var revocation: WebURL?
    var introspection: WebURL?
    var deviceAuthorization: WebURL?
    var pushedAuthorization: WebURL?
    var registration: WebURL?

    init() {}

    init(_ metadata: ResponseReader) throws(OAuthError) {
        guard let aliases = metadata.object["mtls_endpoint_aliases"], aliases != .null else { return }
        guard aliases.members != nil else { throw metadata.wrong("mtls_endpoint_aliases", UserMessage("phrase.expected_object")) }
        var reader = ResponseReader(aliases, metadata.operation, host: metadata.host)
        reader.allowsLocalEndpoints = metadata.allowsLocalEndpoints
        token = try reader.endpoint("token_endpoint")
        userInfo = try reader.endpoint("userinfo_endpoint")
        revocation = try reader.endpoint("revocation_endpoint")
        introspection = try reader.endpoint("introspection_endpoint")
        deviceAuthorization = try reader.endpoint("device_authorization_endpoint")
        pushedAuthorization = try reader.endpoint("pushed_authorization_request_endpoint")
        registration = try reader.endpoint("registration_endpoint")
    }
}
