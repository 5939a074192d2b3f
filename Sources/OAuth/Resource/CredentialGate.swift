public import AuthModel

/// Decides where the credentials of one provider may be sent: tokens, proofs, client certificates and other client authentication. It
/// decides by the normalized URL only; the account, the caller and a server's statements about itself do not count, except for the API host
/// that the provider named with the tokens, if the configuration says where (`api_host_from`).
///
/// The engine asks it before it issues a token for a URL and before it accepts a token from an answer. The caller must send the request to
/// that URL only (``AuthModel/IssuedToken/resource``).
public struct CredentialGate: Sendable {
    private let provider: ProviderConfiguration

    /// Creates the gate of a provider.
    public init(_ provider: ProviderConfiguration) { self.provider = provider }

    /// Returns the form of a URL that is compared and sent.
    ///
    /// - Throws: `.security` for a URL that servers read in more than one way, and for plain http to another machine.
    public static func normalized(_ url: WebURL) throws(AuthFailure) -> WebURL {
        guard let normalized = url.normalized else {
            throw AuthFailure(
                .security, UserMessage("resource.url_path_ambiguous", ["host": url.origin.authority]),
                hint: "hint.write_path_unambiguously")
        }
        guard normalized.isRequestable else {
            throw AuthFailure(
                .security, UserMessage("resource.token_over_plain_http", ["host": url.origin.authority]),
                hint: "hint.use_https_except_loopback")
        }
        return normalized
    }

    /// Whether credentials may be sent to `url`: its host is in `api_hosts`, its origin is that of a `resource` or of the session's own API
    /// host, or it belongs to the provider itself.
    ///
    /// - Parameters:
    ///   - issuer: the issuer of the session with the credentials; `nil` for the provider as it is configured.
    ///   - apiHost: the session's own API host; `nil` if it has none.
    public func admits(_ url: WebURL, issuer: String? = nil, apiHost: WebURL? = nil) -> Bool {
        guard url.isRequestable, let url = url.normalized else { return false }
        return isNamed(url.origin) || isProviderURL(url, issuer: issuer) || learnsHosts && apiHost?.origin == url.origin
    }

    /// Whether the provider names an API host for each session, so that only the session can tell whether its token may be sent somewhere.
    public var learnsHosts: Bool { provider.dialect.apiHostPath != nil }

    /// Whether the configuration names an origin, in `api_hosts` or by a `resource`.
    public func isNamed(_ origin: Origin) -> Bool {
        isAPIHost(origin) || provider.resources.contains { WebURL($0)?.origin == origin }
    }

    /// Whether `api_hosts` has an origin, so that the credentials may be sent to every path there.
    public func isAPIHost(_ origin: Origin) -> Bool { provider.apiHosts.contains(where: origin.isNamed) }

    /// Whether `url` belongs to the provider itself, so that an answer from it may change a session.
    public func isProviderURL(_ url: WebURL, issuer: String?) -> Bool {
        guard url.isRequestable, let url = url.normalized else { return false }
        return provider.kindSettings?.isProviderURL(url, issuer: issuer) ?? false
    }

    /// Whether the client certificate may be presented to the server of `url` in a request without a token: the configuration names the
    /// server, or it is the provider's own. A TLS handshake is with an origin, so the path does not count.
    public func namesOrigin(of url: WebURL) -> Bool {
        isNamed(url.origin) || provider.kindSettings?.home?.origin == url.origin
    }

    /// Whether servers that the configuration does not name may belong to the provider, so that it is asked about them.
    public var discoversServers: Bool { provider.kindSettings?.discoversServers ?? false }

    /// Returns the failure for a URL that is not admitted.
    public func refusal(of url: WebURL) -> AuthFailure {
        let host = url.origin.authority
        return AuthFailure(
            .security, UserMessage("resource.tokens_not_sent_to_host", ["provider": provider.name, "host": host]),
            hint: UserMessage("hint.allow_api_host", ["host": host, "provider": provider.name]))
    }
}
