/// Genuine clients of oidc-agent; `Tests/RealProviders/install` installs them.
public enum OIDCAgentClients {
    /// The path of `oidc-token`; nil if it is not installed.
    public static var token: String? { Product.installed("oidc-token") }

    /// Python with liboidcagent.
    public static var python: String { Browser.cache + "/environments/oidc-agent/bin/python" }

    /// Whether all clients are installed.
    public static var isInstalled: Bool { token != nil && isProgram(python) }
}
