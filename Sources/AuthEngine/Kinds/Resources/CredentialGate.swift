public import AuthModel
import OAuth

/// Decides where the credentials of one provider may be sent: tokens, proofs, client certificates and what else shows who asks. Decides
/// from the URL, normalized; the account, the caller and what a server says of itself have no part in it.
///
/// The engine asks it before it issues a token for a URL and before it takes a token from an answer; whoever sends the request sends it to
/// that URL alone (``AuthModel/IssuedToken/resource``).
public struct CredentialGate: Sendable {
    private let provider: ProviderConfiguration

    public init(_ provider: ProviderConfiguration) { self.provider = provider }

    /// The form of a URL that is compared and sent.
    ///
    /// - Throws: `.security` for a URL that servers read in more than one way, and for plain http to another machine.
    public static func normalized(_ url: WebURL) throws(AuthFailure) -> WebURL {
        guard let normalized = url.normalized else {
            throw AuthFailure(
                .security, "the path of the URL at \(url.origin.authority) can be read in more than one way",
                hint: "write it without '..', encoded dots, backslashes and double percent-encoding")
        }
        guard normalized.mayBeResource else {
            throw AuthFailure(
                .security, "a token is not sent over plain http to \(url.origin.authority)",
                hint: "use https; http is for loopback addresses only")
        }
        return normalized
    }

    /// Whether credentials may be sent to `url`: its host is in `api_hosts`, its origin is that of a `resource`, or its place is the
    /// provider's own.
    ///
    /// - Parameter issuer: the issuer of the session whose credentials they are; `nil` for what the provider as it is configured has.
    public func admits(_ url: WebURL, issuer: String? = nil) -> Bool {
        guard url.mayBeResource, let url = url.normalized else { return false }
        return isNamed(url.origin) || isOwnPlace(url, issuer: issuer)
    }

    /// Whether the configuration names an origin in `api_hosts`, or by a `resource`.
    func isNamed(_ origin: Origin) -> Bool {
        provider.apiHosts.contains { Self.isHost($0, of: origin) } || provider.resources.contains { WebURL($0)?.origin == origin }
    }

    /// Whether `url` is a place of the provider itself, so that what it answers may change a session.
    func isOwnPlace(_ url: WebURL, issuer: String?) -> Bool {
        guard url.isProtected, let url = url.normalized else { return false }
        return provider.kind.definition.isOwnPlace(url, of: provider, issuer: issuer)
    }

    /// Whether the client's certificate may be shown to the server of `url` in a request without a token: the server is named in the
    /// configuration, or the provider's own. A handshake is with an origin, whatever the path.
    public func namesOrigin(of url: WebURL) -> Bool {
        isNamed(url.origin) || provider.kind.definition.home(of: provider)?.origin == url.origin
    }

    /// Whether it is found out at the provider which other servers its sessions have tokens for.
    public var findsServers: Bool { provider.kind.definition.findsServers }

    /// The refusal of a URL that is not admitted.
    public func refusal(of url: WebURL) -> AuthFailure {
        let host = url.origin.authority
        return AuthFailure(
            .security, "tokens of \(provider.name) are not sent to \(host)",
            hint: "if they belong there, add it: api_hosts = [\"\(host)\"] in [providers.\(provider.name)]")
    }

    /// Whether an entry of `api_hosts` names an origin. A host without a port means the scheme's own port.
    private static func isHost(_ entry: String, of origin: Origin) -> Bool {
        WebURL("\(origin.scheme.rawValue)://\(entry)")?.origin == origin
    }
}
